#include "eikonal/adjoint/source_box.hpp"

#include <utility>

namespace fermat {

SourceBox::Part::Part(const Grid& box, Field<float> velocity)
    : model(box, std::move(velocity)), slowness(model) {}

SourceBox::SourceBox(const Model& model, const NodeSlowness& slowness, Vec3 source)
    : whole_(model.grid().shape),
      starts_(std::make_unique<const SourceStarts>(model, slowness, source)),
      factored_(starts_->factored()),
      offsets_(starts_->nodes().begin(), starts_->nodes().end()) {}

SourceBox::SourceBox(Shape whole, PartOfModel found) : whole_(whole), first_(found.first) {
    part_ = std::make_unique<const Part>(found.grid, std::move(found.velocity));
    starts_ = std::make_unique<const SourceStarts>(part_->model, part_->slowness, found.source);
    factored_ = in_whole_grid(starts_->factored(), found);
    for (const std::size_t node : starts_->nodes()) offsets_.push_back(in_whole(node));
}

std::size_t SourceBox::in_whole(std::size_t offset) const {
    if (!part_) return offset;
    const Shape shape = part_->model.grid().shape;
    const auto z = static_cast<std::size_t>(shape.z);
    const auto y = static_cast<std::size_t>(shape.y);
    return whole_.offset(first_.x + static_cast<int>(offset / (y * z)),
                         first_.y + static_cast<int>(offset / z % y),
                         first_.z + static_cast<int>(offset % z));
}

Vec3 SourceBox::derivative(std::size_t number,
                           const std::function<void(std::size_t, double)>& by_node) const {
    return starts_->derivative(starts_->nodes()[number], [&](std::size_t node, double part) {
        by_node(in_whole(node), part);
    });
}

}  // namespace fermat
