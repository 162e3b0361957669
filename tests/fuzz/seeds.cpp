#include "fuzz/seeds.hpp"

#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "core/error.hpp"
#include "io/checkpoint.hpp"
#include "io/csv.hpp"
#include "io/geometry.hpp"
#include "io/input_file.hpp"
#include "io/model_io.hpp"
#include "io/nonlinloc.hpp"
#include "io/npy.hpp"
#include "io/phase_picks.hpp"
#include "io/run_io.hpp"
#include "io/sgt.hpp"
#include "io/sparse_io.hpp"
#include "io/survey_file.hpp"
#include "io/trust_io.hpp"
#include "io/vector_coverage.hpp"
#include "io/vtk_xml.hpp"
#include "io/vtkhdf_image.hpp"
#include "io/vtkhdf_rays.hpp"
#include "model/metric.hpp"
#include "rays/integrate.hpp"

namespace fermat::fuzz {
namespace {

namespace fs = std::filesystem;

Model small_model(Shape shape) {
    Field<float> velocity(shape);
    for (std::size_t i = 0; i < velocity.size(); ++i) velocity[i] = static_cast<float>(i + 1);
    return Model({shape, {1, 2, 3}, {0.5, 0.25, 2}}, std::move(velocity));
}

std::string model_seed(const fs::path& file, Shape shape) {
    write_model(file, small_model(shape));
    return read_whole_file(file);
}

/// A model on graded axes with Thomsen's parameters.
std::string metric_seed(const fs::path& file) {
    const Model plain = small_model({5, 4, 3});
    const Grid& grid = plain.grid();
    CoordinateNumbers numbers;
    numbers.system = Coordinates::graded;
    for (int axis = 0; axis < 3; ++axis) {
        for (int n = 0; n < grid.shape[axis]; ++n) numbers.axes[axis].push_back(n + 0.1 * n * n);
    }
    AnisotropyValues thomsen{Anisotropy::thomsen, {}};
    for (int n = 0; n < 5; ++n) thomsen.values[n] = Field<float>(grid.shape, n == 4 ? 1.0F : 0.0F);
    write_model(file, plain.with_metric(
                          std::make_shared<Metric>(grid, std::move(numbers), std::move(thomsen))));
    return read_whole_file(file);
}

std::string ray_seed(const fs::path& file) {
    RaySet rays;
    for (int r = 0; r < 5; ++r) {
        const std::vector<Vec3> path(static_cast<std::size_t>(r), Vec3{1.0 * r, 0, 0.5});
        rays.append({r, 1, 0.5, 0.25, 2, RayStatus::ok}, path);
    }
    RayWriter writer(file);
    writer.append(rays);
    writer.add_ray_numbers("phase", std::vector<std::int32_t>{0, 1, 0, 1, 0},
                           std::vector<std::string>{"Pg", "PmP"});
    writer.commit();
    return read_whole_file(file);
}

/// Two rays inside small_model({5, 1, 4}).
std::string vector_seed(const fs::path& file) {
    RaySet rays;
    rays.append({0, 1, 0.5, 0.25, 2, RayStatus::ok}, std::vector<Vec3>{{1, 2, 3}, {2, 2, 5}});
    rays.append({1, 0, 0.5, 0.25, 2, RayStatus::ok}, std::vector<Vec3>{{2.5, 2, 9}, {1.5, 2, 4}});
    VectorCoverageWriter writer(file, "fuzz");
    writer.append(rays, std::vector<double>{1.25, 2.5});
    writer.commit();
    return read_whole_file(file);
}

std::string sparse_seed(const fs::path& file) {
    SparseRows rows;
    rows.columns = 9;
    rows.column = {0, 4, 8, 3};
    rows.value = {1, 0.5, 0.25, 2};
    rows.row_start = {0, 3, 3, 4};
    SparseWriter writer(file, rows.columns);
    writer.append(rows);
    writer.commit();
    return read_whole_file(file);
}

/// The image in the oldest format of HDF5, which h5py writes and which has no checksums.
std::string classic_seed(const fs::path& file) {
    const hid_t id = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const fs::path modern = file.string() + ".modern";
    write_model(modern.string() + ".h5", small_model({5, 4, 3}));
    const hid_t from = H5Fopen((modern.string() + ".h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    H5Ocopy(from, "VTKHDF", id, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(from);
    H5Fclose(id);
    return read_whole_file(file);
}

std::string bytes_of(const auto& values) {
    std::string bytes(values.size() * sizeof(values[0]), '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

std::string image_xml(const std::string& format, const std::string& text,
                      const std::string& appended) {
    return "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" byte_order=\"LittleEndian\" "
           "header_type=\"UInt32\">\n<ImageData WholeExtent=\"0 1 0 1 0 1\" Origin=\"0 0 0\" "
           "Spacing=\"1 1 1\" Direction=\"1 0 0 0 1 0 0 0 1\">\n<Piece Extent=\"0 1 0 1 0 1\">\n"
           "<PointData>\n<DataArray type=\"Float32\" Name=\"velocity\" format=\"" +
           format + "\">" + text + "</DataArray>\n</PointData></Piece></ImageData>\n" + appended +
           "</VTKFile>\n";
}

std::vector<std::string> xml_seeds() {
    const std::array<float, 8> values = {1, 2, 3, 4, 5, 6, 7, 8};
    const std::array<std::uint32_t, 1> count = {32};
    return {image_xml("ascii", "1 2 3 4 5 6 7 8", ""),
            image_xml("binary", "IAAAAAAAgD8AAABAAABAQAAAgEAAAKBAAADAQAAA4EAAAABB", ""),
            image_xml("appended\" offset=\"0", "",
                      "<AppendedData encoding=\"raw\">_" + bytes_of(count) + bytes_of(values) +
                          "</AppendedData>"),
            "<VTKFile type=\"RectilinearGrid\"><RectilinearGrid WholeExtent=\"0 1 0 0 0 1\">"
            "<Piece Extent=\"0 1 0 0 0 1\"><PointData><DataArray type=\"Float64\" Name=\"v\">"
            "1 2 3 4</DataArray></PointData><Coordinates><DataArray type=\"Float32\">0 1"
            "</DataArray><DataArray type=\"Float32\">0</DataArray><DataArray type=\"Float32\">0 1"
            "</DataArray></Coordinates></Piece></RectilinearGrid></VTKFile>"};
}

void read_image(const fs::path& file) {
    const ImageReader image(file);
    for (const auto& name : image.point_arrays()) image.read_point_array(name);
    for (const auto& name : image.cell_arrays()) image.read_cell_array(name);
    Notes notes;
    read_model(file, notes);
}

/// Reads a topography and evaluates it between and beyond its points.
void read_ground(const fs::path& file, Notes& notes) {
    const Surface surface = read_surface(file, notes);
    for (const double x : {-1e9, 0.5, 41.0}) surface.at(x, 3);
}

void read_both_ways(const fs::path& file, Notes& notes) {
    read_nonlinloc(file, std::nullopt, notes);
    read_nonlinloc(file, Placement::nodes, notes);
}

const Grid small_section{{5, 1, 4}, {}, {1, 1, 1}};

std::string checkpoint_seed(const fs::path& file) {
    InversionState state;
    state.velocity = Field<float>(small_section.shape, 2.5F);
    state.history.resize(2);
    state.method.hole.stage = 1;
    state.initial_residual = {0.5, -0.25};
    write_checkpoint(file, small_section, state, "fuzz");
    return read_whole_file(file);
}

std::string member_seed(const fs::path& file) {
    EnsembleMember member;
    member.velocity = Field<float>(small_section.shape, 2.5F);
    member.weight = Field<float>(small_section.shape, 1.0F);
    member.rms = 0.1;
    write_member(file, member, "run", "fuzz");
    return read_whole_file(file);
}

void read_every_number(const fs::path& file) {
    const CsvTable table(file);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        for (std::size_t column = 0; column < table.names().size(); ++column) {
            table.number(row, column);
        }
    }
}

}  // namespace

std::function<void(const fs::path&)> noting(std::function<void(const fs::path&, Notes&)> read) {
    return [read = std::move(read)](const fs::path& file) {
        Notes notes;
        read(file, notes);
        for (const std::string& sentence : notes.sentences()) {
            const auto plain = [](unsigned char c) { return c >= 0x20 && c != 0x7f; };
            if (!std::all_of(sentence.begin(), sentence.end(), plain)) {
                throw std::logic_error("a note that is not one plain line: " + sentence);
            }
        }
    };
}

std::vector<Target> library_targets(const fs::path& folder) {
    const ModelReadOptions spaced{Vec3{1, 1, 1}, Vec3{}};
    const std::string picks =
        "source_x,source_y,source_z,receiver_x,receiver_y,receiver_z,time,error\n"
        "0,0,0,1,1,0,0.5,0.01\n9,0,-0.5,1,1,0,1.5e-3,0.03\n";
    const std::string odd_picks =
        "source_x,source_z,receiver_x,receiver_z,time,sigma,name,weight\n"
        "0,0,1,0,0.5,0.01,A,1\n0,0,2,0,0.75,,B,1\n9,-0.5,1,0,1.5e-3,nan,C,2\n";
    const std::string survey =
        "3 # points\n#x\ty\n0\t0\n1\t2.5\n4\t-1\n2 # picks\n#s\tg\tt\terr\n1\t3\t0.5\t0.1\n"
        "2\t1\t0.25\t0.2\n";
    const std::string odd_survey =
        "3\n#x y h\n0 0 1\n1 2.5 1\n4 -1 1\n3\n#s g t t_err valid q\n1 3 0.5 nan 1 7\n"
        "2 1 0.25 0.2 1 7\n0 9 nan 0 0 7\n";
    const std::string model_table = "x,z,velocity\n0,0,1\n0,1,2\n1,0,3\n1,1,4\n";
    const std::array<float, 8> values = {1, 2, 3, 4, 5, 6, 7, 8};
    return {
        {"csv", ".csv", {picks, model_table, "# r\r\nx,z\r\n1,2\r\n"}, read_every_number},
        {"picks", ".csv", {picks, odd_picks}, noting([](const fs::path& file, Notes& notes) {
             read_picks(file, notes);
             read_survey_file(file, {}, notes);
         })},
        {"phases",
         ".csv",
         {"event,station,phase,receiver_x,receiver_y,receiver_z,time,error\n"
          "a,S1,Pg,1,1,0,2018-11-30T17:29:35.25,0.01\na,S2,S,2,1,0,2018-11-30T17:29:36,\n",
          picks},
         noting([](const fs::path& file, Notes& notes) {
             read_phase_picks({file, std::nullopt, std::nullopt}, notes);
         })},
        {"points",
         ".csv",
         {"x,y,z,start_time\n1,2,3,0.5\n4,5,6,0\n", picks},
         noting([](const fs::path& file, Notes& notes) {
             read_points(file, PointRole::source, notes);
         })},
        {"profile",
         ".csv",
         {"depth,velocity\n0,2\n1.5,3\n10,5.5\n"},
         noting([](const fs::path& file, Notes& notes) { read_profile(file, notes); })},
        {"schedule",
         ".csv",
         {"iterations,cell_x,cell_y,cell_z,vertex_x,vertex_y,vertex_z,cell_passes\n"
          "6,96,24,24,97,25,25,2\n3,48,12,12,49,13,13,0\n",
          "iterations,cell_x,cell_z,vertex_x,vertex_z\n6,16,8,17,9\n"},
         noting([](const fs::path& file, Notes& notes) { read_schedule(file, notes); })},
        {"surface",
         ".csv",
         {"x,z\n0,-5\n40,-15\n80,0\n", "x,y,z\n0,0,-5\n40,0,-15\n0,9,0\n40,9,2\n7,3,1\n"},
         noting(read_ground)},
        {"ground", ".sgt", {survey}, noting(read_ground)},
        {"table", ".csv", {model_table}, noting([](const fs::path& file, Notes& notes) {
             read_model(file, notes);
         })},
        {"sgt", ".sgt", {survey, odd_survey}, noting([](const fs::path& file, Notes& notes) {
             read_sgt(file, notes);
         })},
        {"npy",
         ".npy",
         {model_seed(folder / "a.npy", {3, 2, 4}), model_seed(folder / "b.npy", {3, 1, 4})},
         noting([spaced](const fs::path& file, Notes& notes) { read_model(file, notes, spaced); })},
        {"hdr",
         ".hdr",
         {"2 2 2  -1.0 -2.0 0.5  0.5 0.5 0.5 SLOW_LEN FLOAT\nTRANSFORM NONE\n",
          "1 4 2  0 0 0  1 1 1 VELOCITY\n"},
         noting(read_both_ways),
         ".buf",
         bytes_of(values)},
        {"buf",
         ".buf",
         {bytes_of(values)},
         noting([](const fs::path& file, Notes& notes) {
             read_both_ways(fs::path(file).replace_extension(".hdr"), notes);
         }),
         ".hdr",
         "2 2 2  0 0 0  1 1 1 SLOW_LEN\n"},
        {"vti", ".vti", xml_seeds(), [](const fs::path& file) { read_vtk_xml(file); }},
        {"image",
         ".h5",
         {model_seed(folder / "a.h5", {5, 4, 3}), model_seed(folder / "b.h5", {5, 1, 3}),
          metric_seed(folder / "metric.h5")},
         read_image},
        {"rays", ".h5", {ray_seed(folder / "r.h5")}, [](const fs::path& file) { read_rays(file); }},
        {"ray_numbers",
         ".h5",
         {ray_seed(folder / "n.h5")},
         [](const fs::path& file) { read_ray_numbers(file, "phase"); }},
        {"vectors",
         ".xml",
         {vector_seed(folder / "v.xml")},
         noting([](const fs::path& file, Notes& notes) {
             VectorCoverage read = read_vector_coverage(file, notes);
             integrate_rays(small_model({5, 1, 4}), read.rays);
         })},
        {"sparse",
         ".h5",
         {sparse_seed(folder / "s.h5")},
         [](const fs::path& file) { read_sparse(file); }},
        {"member",
         ".h5",
         {member_seed(folder / "m.h5")},
         [](const fs::path& file) { read_member(file, small_section.shape, "fuzz"); }},
        {"state",
         ".h5",
         {checkpoint_seed(folder / "k.h5")},
         [](const fs::path& file) { read_checkpoint(file, small_section, "fuzz"); }},
        {"snap",
         ".h5",
         {checkpoint_seed(folder / "n.h5")},
         [](const fs::path& file) { read_snapshot(file); }},
        // Without checksums libhdf5 1.10 itself follows damaged addresses and can crash before our
        // code can check anything. So this does not test our code; try it again with a newer
        // library.
        {"classic", ".h5", {classic_seed(folder / "c.h5")}, read_image, "", "", true},
    };
}

}  // namespace fermat::fuzz
