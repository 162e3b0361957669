#include "core/gl_context.hpp"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <dlfcn.h>

#include <mutex>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/gl_functions.hpp"

namespace fermat {
namespace {

using Procedure = void (*)();

/// libEGL, loaded when it is first needed: the program then also starts where there is none.
struct Egl {
    void* library = nullptr;
    decltype(&eglGetProcAddress) get_proc_address = nullptr;
    decltype(&eglQueryString) query_string = nullptr;
    decltype(&eglInitialize) initialize = nullptr;
    decltype(&eglBindAPI) bind_api = nullptr;
    decltype(&eglCreateContext) create_context = nullptr;
    decltype(&eglDestroyContext) destroy_context = nullptr;
    decltype(&eglMakeCurrent) make_current = nullptr;
    PFNEGLGETPLATFORMDISPLAYEXTPROC get_platform_display = nullptr;
    PFNEGLQUERYDEVICESEXTPROC query_devices = nullptr;
    PFNEGLQUERYDEVICESTRINGEXTPROC query_device_string = nullptr;
};

InputError no_opengl(const std::string& why) {
    return InputError("OpenGL cannot be used (" + why + "; use cpu or cuda)");
}

template <class Function>
void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr) throw no_opengl(std::string("libEGL has no ") + name);
}

Egl load_egl() {
    Egl egl;
    egl.library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (egl.library == nullptr) {
        throw no_opengl(
            "libEGL.so.1 is not on this machine: install libegl1 and a driver, such as "
            "libegl-mesa0 with libgl1-mesa-dri");
    }
    find(egl.library, "eglGetProcAddress", egl.get_proc_address);
    find(egl.library, "eglQueryString", egl.query_string);
    find(egl.library, "eglInitialize", egl.initialize);
    find(egl.library, "eglBindAPI", egl.bind_api);
    find(egl.library, "eglCreateContext", egl.create_context);
    find(egl.library, "eglDestroyContext", egl.destroy_context);
    find(egl.library, "eglMakeCurrent", egl.make_current);
    const auto extension = [&](const char* name, auto& function) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
            egl.get_proc_address(name));
    };
    extension("eglGetPlatformDisplayEXT", egl.get_platform_display);
    extension("eglQueryDevicesEXT", egl.query_devices);
    extension("eglQueryDeviceStringEXT", egl.query_device_string);
    if (egl.get_platform_display == nullptr) {
        throw no_opengl("EGL cannot work without a window system here");
    }
    return egl;
}

/// Displays that need no window system: first the cards, then Mesa's own choice, which is its
/// software renderer where there is no card.
std::vector<EGLDisplay> displays(const Egl& egl) {
    std::vector<EGLDisplay> found;
    const auto keep = [&](EGLDisplay display) {
        if (display != EGL_NO_DISPLAY) found.push_back(display);
    };
    if (egl.query_devices != nullptr && egl.query_device_string != nullptr) {
        constexpr EGLint most = 16;
        EGLDeviceEXT devices[most];
        EGLint count = 0;
        if (egl.query_devices(most, devices, &count) == EGL_TRUE) {
            for (EGLint n = 0; n < count; ++n) {
                const char* words = egl.query_device_string(devices[n], EGL_EXTENSIONS);
                const std::string_view list = words == nullptr ? "" : words;
                if (list.find("EGL_MESA_device_software") != std::string_view::npos) continue;
                keep(egl.get_platform_display(EGL_PLATFORM_DEVICE_EXT, devices[n], nullptr));
            }
        }
    }
    const char* client = egl.query_string(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    const std::string_view list = client == nullptr ? "" : client;
    if (list.find("EGL_MESA_platform_surfaceless") != std::string_view::npos) {
        keep(egl.get_platform_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr));
    }
    return found;
}

}  // namespace

struct GlContext::State {
    Egl egl;
    EGLDisplay display = EGL_NO_DISPLAY;
    EGLContext context = EGL_NO_CONTEXT;
    GlFunctions gl;
    GlInfo info;
    std::mutex one_at_a_time;

    bool open(EGLDisplay candidate) {
        if (egl.initialize(candidate, nullptr, nullptr) != EGL_TRUE) return false;
        if (egl.bind_api(EGL_OPENGL_API) != EGL_TRUE) return false;
        constexpr EGLint wanted[] = {EGL_CONTEXT_MAJOR_VERSION,
                                     4,
                                     EGL_CONTEXT_MINOR_VERSION,
                                     3,
                                     EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                     EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                     EGL_NONE};
        context = egl.create_context(candidate, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, wanted);
        if (context == EGL_NO_CONTEXT) return false;
        display = candidate;
        if (current(true)) return true;
        close();
        return false;
    }
    bool current(bool mine) const {
        return egl.make_current(display, EGL_NO_SURFACE, EGL_NO_SURFACE,
                                mine ? context : EGL_NO_CONTEXT) == EGL_TRUE;
    }
    void close() {
        if (context != EGL_NO_CONTEXT) egl.destroy_context(display, context);
        context = EGL_NO_CONTEXT;
    }
    void find_functions() {
        const auto fetch = [&](const char* name, auto& function) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
                egl.get_proc_address(name));
            return function != nullptr;
        };
#define FERMAT_GL_FETCH(Type, Name) \
    if (!fetch("gl" #Name, gl.Name)) throw no_opengl("the driver has no gl" #Name);
        FERMAT_GL_FUNCTIONS(FERMAT_GL_FETCH)
#undef FERMAT_GL_FETCH
        fetch("glGetGraphicsResetStatus", gl.GetGraphicsResetStatus);
    }
    void ask() {
        const auto words = [&](GLenum name) {
            const GLubyte* text = gl.GetString(name);
            return std::string(text == nullptr ? "" : reinterpret_cast<const char*>(text));
        };
        info.renderer = words(GL_RENDERER);
        info.version = words(GL_VERSION);
        GLint64 bytes = 0;
        gl.GetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &bytes);
        info.block_bytes = static_cast<std::size_t>(bytes);
        GLint shared = 0;
        gl.GetIntegerv(GL_MAX_COMPUTE_SHARED_MEMORY_SIZE, &shared);
        info.shared_bytes = static_cast<std::size_t>(shared);
        GLint groups = 0;
        gl.GetIntegeri_v(GL_MAX_COMPUTE_WORK_GROUP_COUNT, 0, &groups);
        info.groups = static_cast<unsigned>(groups);
    }
};

GlContext::GlContext() : state_(std::make_unique<State>()) {
    State& s = *state_;
    s.egl = load_egl();
    for (const EGLDisplay display : displays(s.egl)) {
        if (!s.open(display)) continue;
        try {
            s.find_functions();
            s.ask();
            s.current(false);
            return;
        } catch (...) {
            s.current(false);
            s.close();
            throw;
        }
    }
    throw no_opengl(
        "no driver gives OpenGL 4.3 with compute shaders without a window: install a newer one, or "
        "libgl1-mesa-dri");
}

GlContext::~GlContext() { state_->close(); }

const GlInfo& GlContext::info() const { return state_->info; }

const GlFunctions& GlContext::functions() const { return state_->gl; }

void GlContext::check(const std::string& what) const {
    const GlFunctions& gl = state_->gl;
    if (gl.GetGraphicsResetStatus != nullptr && gl.GetGraphicsResetStatus() != GL_NO_ERROR) {
        throw ComputeError("the OpenGL context was lost while " + what +
                           " (the driver was reset, often because a dispatch took too long: use a "
                           "smaller model or radius, or cpu)");
    }
    const GLenum error = gl.GetError();
    if (error == GL_NO_ERROR) return;
    if (error == GL_OUT_OF_MEMORY) {
        throw ComputeError("OpenGL has no memory left while " + what +
                           " (use weights 'computed', a smaller radius or model, or cpu)");
    }
    throw ComputeError("OpenGL reports error " + std::to_string(error) + " while " + what +
                       " (use cpu)");
}

GlScope::GlScope(const GlContext& context) : context_(context) {
    GlContext::State& s = *context_.state_;
    s.one_at_a_time.lock();
    if (s.current(true)) return;
    s.one_at_a_time.unlock();
    throw ComputeError(
        "the OpenGL context cannot be used by this thread (was the process forked?)");
}

GlScope::~GlScope() {
    context_.state_->current(false);
    context_.state_->one_at_a_time.unlock();
}

std::string gl_obstacle() {
    try {
        const GlContext context;
        return {};
    } catch (const InputError& error) {
        return error.what();
    }
}

}  // namespace fermat
