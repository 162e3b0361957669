#pragma once

// For files that are built with OpenGL alone.

#include <GL/glcorearb.h>

namespace fermat {

/// The functions of OpenGL 4.3 that shaders are run by, as X(type, name).
#define FERMAT_GL_FUNCTIONS(X)                                   \
    X(PFNGLGETERRORPROC, GetError)                               \
    X(PFNGLGETSTRINGPROC, GetString)                             \
    X(PFNGLGETINTEGERVPROC, GetIntegerv)                         \
    X(PFNGLGETINTEGERI_VPROC, GetIntegeri_v)                     \
    X(PFNGLGETINTEGER64VPROC, GetInteger64v)                     \
    X(PFNGLFINISHPROC, Finish)                                   \
    X(PFNGLGENBUFFERSPROC, GenBuffers)                           \
    X(PFNGLDELETEBUFFERSPROC, DeleteBuffers)                     \
    X(PFNGLBINDBUFFERPROC, BindBuffer)                           \
    X(PFNGLBINDBUFFERBASEPROC, BindBufferBase)                   \
    X(PFNGLBUFFERDATAPROC, BufferData)                           \
    X(PFNGLBUFFERSUBDATAPROC, BufferSubData)                     \
    X(PFNGLGETBUFFERSUBDATAPROC, GetBufferSubData)               \
    X(PFNGLCREATESHADERPROC, CreateShader)                       \
    X(PFNGLDELETESHADERPROC, DeleteShader)                       \
    X(PFNGLSHADERSOURCEPROC, ShaderSource)                       \
    X(PFNGLCOMPILESHADERPROC, CompileShader)                     \
    X(PFNGLGETSHADERIVPROC, GetShaderiv)                         \
    X(PFNGLGETSHADERINFOLOGPROC, GetShaderInfoLog)               \
    X(PFNGLCREATEPROGRAMPROC, CreateProgram)                     \
    X(PFNGLDELETEPROGRAMPROC, DeleteProgram)                     \
    X(PFNGLATTACHSHADERPROC, AttachShader)                       \
    X(PFNGLLINKPROGRAMPROC, LinkProgram)                         \
    X(PFNGLGETPROGRAMIVPROC, GetProgramiv)                       \
    X(PFNGLGETPROGRAMINFOLOGPROC, GetProgramInfoLog)             \
    X(PFNGLUSEPROGRAMPROC, UseProgram)                           \
    X(PFNGLUNIFORM1IPROC, Uniform1i)                             \
    X(PFNGLUNIFORM1UIPROC, Uniform1ui)                           \
    X(PFNGLDISPATCHCOMPUTEPROC, DispatchCompute)                 \
    X(PFNGLDISPATCHCOMPUTEINDIRECTPROC, DispatchComputeIndirect) \
    X(PFNGLMEMORYBARRIERPROC, MemoryBarrier)

struct GlFunctions {
#define FERMAT_GL_MEMBER(Type, Name) Type Name = nullptr;
    FERMAT_GL_FUNCTIONS(FERMAT_GL_MEMBER)
#undef FERMAT_GL_MEMBER
    /// Of OpenGL 4.5; null before.
    PFNGLGETGRAPHICSRESETSTATUSPROC GetGraphicsResetStatus = nullptr;
};

}  // namespace fermat
