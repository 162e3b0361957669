#include "fuzz/seeds.hpp"

#include <hdf5.h>

#include <array>
#include <cstring>

#include "core/error.hpp"
#include "io/csv.hpp"
#include "io/geometry.hpp"
#include "io/input_file.hpp"
#include "io/model_io.hpp"
#include "io/nonlinloc.hpp"
#include "io/npy.hpp"
#include "io/sgt.hpp"
#include "io/sparse_io.hpp"
#include "io/vtk_xml.hpp"
#include "io/vtkhdf_image.hpp"
#include "io/vtkhdf_rays.hpp"

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

std::string ray_seed(const fs::path& file) {
    RaySet rays;
    for (int r = 0; r < 5; ++r) {
        const std::vector<Vec3> path(static_cast<std::size_t>(r), Vec3{1.0 * r, 0, 0.5});
        rays.append({r, 1, 0.5, 0.25, 2, RayStatus::ok}, path);
    }
    write_rays(file, rays);
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

/// The same image in the oldest format of HDF5, which h5py writes and which has no checksums.
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
    read_model(file);
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

std::vector<Target> all_targets(const fs::path& folder) {
    const ModelReadOptions spaced{Vec3{1, 1, 1}, Vec3{}};
    const std::string picks =
        "source_x,source_y,source_z,receiver_x,receiver_y,receiver_z,time,error\n"
        "0,0,0,1,1,0,0.5,0.01\n9,0,-0.5,1,1,0,1.5e-3,0.03\n";
    const std::string model_table = "x,z,velocity\n0,0,1\n0,1,2\n1,0,3\n1,1,4\n";
    const std::array<float, 8> values = {1, 2, 3, 4, 5, 6, 7, 8};
    return {
        {"csv", ".csv", {picks, model_table, "# r\r\nx,z\r\n1,2\r\n"}, read_every_number},
        {"picks", ".csv", {picks}, [](const fs::path& file) { read_picks(file); }},
        {"points",
         ".csv",
         {"x,y,z,start_time\n1,2,3,0.5\n4,5,6,0\n", picks},
         [](const fs::path& file) { read_points(file, PointRole::source); }},
        {"profile",
         ".csv",
         {"depth,velocity\n0,2\n1.5,3\n10,5.5\n"},
         [](const fs::path& file) { read_profile(file); }},
        {"table", ".csv", {model_table}, [](const fs::path& file) { read_model(file); }},
        {"sgt",
         ".sgt",
         {"3 # points\n#x\ty\n0\t0\n1\t2.5\n4\t-1\n2 # picks\n#s\tg\tt\terr\n1\t3\t0.5\t0.1\n"
          "2\t1\t0.25\t0.2\n"},
         [](const fs::path& file) { read_sgt(file); }},
        {"npy",
         ".npy",
         {model_seed(folder / "a.npy", {3, 2, 4}), model_seed(folder / "b.npy", {3, 1, 4})},
         [spaced](const fs::path& file) { read_model(file, spaced); }},
        {"hdr",
         ".hdr",
         {"2 2 2  -1.0 -2.0 0.5  0.5 0.5 0.5 SLOW_LEN FLOAT\nTRANSFORM NONE\n",
          "1 4 2  0 0 0  1 1 1 VELOCITY\n"},
         [](const fs::path& file) { read_nonlinloc(file); },
         ".buf",
         bytes_of(values)},
        {"buf",
         ".buf",
         {bytes_of(values)},
         [](const fs::path& file) { read_nonlinloc(fs::path(file).replace_extension(".hdr")); },
         ".hdr",
         "2 2 2  0 0 0  1 1 1 SLOW_LEN\n"},
        {"vti", ".vti", xml_seeds(), [](const fs::path& file) { read_vtk_xml(file); }},
        {"image",
         ".h5",
         {model_seed(folder / "a.h5", {5, 4, 3}), model_seed(folder / "b.h5", {5, 1, 3})},
         read_image},
        {"rays", ".h5", {ray_seed(folder / "r.h5")}, [](const fs::path& file) { read_rays(file); }},
        {"sparse",
         ".h5",
         {sparse_seed(folder / "s.h5")},
         [](const fs::path& file) { read_sparse(file); }},
        // Without checksums libhdf5 1.10 itself follows damaged addresses and can crash, before we
        // can check anything: not a test of our code, but worth a look with a newer library.
        {"classic", ".h5", {classic_seed(folder / "c.h5")}, read_image, "", "", true},
    };
}

}  // namespace fermat::fuzz
