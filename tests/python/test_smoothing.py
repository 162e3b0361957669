"""fermat.smooth: means over a clipped box, by every method, with rays or a mask for weights."""

import fermat as fm
import numpy as np
import pytest

SMOOTHERS = ["basic", "cached", "table", "running"]


def box_mean(values, size, weights=None):
    """The definition: weighted mean over the clipped box of each element."""
    weights = np.ones_like(values) if weights is None else weights
    result = np.full_like(values, np.nan)
    for at in np.ndindex(values.shape):
        box = tuple(
            slice(max(0, i - n // 2), i + (n - 1) // 2 + 1) for i, n in zip(at, size, strict=True)
        )
        if weights[box].sum() > 0:
            result[at] = (values * weights)[box].sum() / weights[box].sum()
    return result


@pytest.mark.parametrize("smoother", SMOOTHERS)
@pytest.mark.parametrize("size", [(1, 1, 1), (4, 2, 2), (5, 3, 3), (96, 24, 25)])
def test_is_the_mean_of_the_clipped_box(smoother, size):
    values = np.random.default_rng(1).normal(size=(9, 5, 7))
    smooth = fm.smooth(values, size, smoother=smoother)
    np.testing.assert_allclose(smooth, box_mean(values, size), atol=1e-13)


def test_two_dimensions_and_one_number_for_all_axes():
    values = np.random.default_rng(2).normal(size=(9, 7))
    np.testing.assert_allclose(fm.smooth(values, 3), box_mean(values, (3, 3)), atol=1e-13)
    assert fm.smooth(values.astype("f4"), 3, passes=0).dtype == np.float64


def test_cells_are_weighted_by_rays_and_stay_without():
    rays = np.zeros((12, 6))
    rays[:4] = np.arange(6) % 3
    sums = np.random.default_rng(3).normal(size=rays.shape) * rays
    smooth = fm.smooth(sums, (3, 3), coverage=rays)
    means = np.divide(sums, rays, out=np.zeros_like(sums), where=rays > 0)
    np.testing.assert_allclose(smooth[:5], box_mean(means, (3, 3), rays)[:5], atol=1e-13)
    np.testing.assert_array_equal(smooth[5:], sums[5:])


def test_masked_elements_stay_and_feed_nothing():
    values = np.random.default_rng(4).normal(size=(9, 7))
    mask = values < 1
    values[~mask] = np.nan
    smooth = fm.smooth(values, 5, mask=mask)
    assert np.isnan(smooth[~mask]).all()
    clean = np.where(mask, values, 0)
    np.testing.assert_allclose(smooth[mask], box_mean(clean, (5, 5), mask * 1.0)[mask], atol=1e-13)


def test_input_is_left_as_it_is():
    values = np.arange(12.0).reshape(4, 3)
    fm.smooth(values, 3)
    np.testing.assert_array_equal(values, np.arange(12.0).reshape(4, 3))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"values": np.ones(3), "size": 3}, r"values have shape \(3,\)"),
        ({"values": np.ones((3, 3)), "size": (3, 3, 3)}, "size has 3 numbers"),
        ({"values": np.ones((3, 3)), "size": 0}, "smoothing size 0x1x0 has 0 along x"),
        ({"values": np.ones((3, 3)), "size": 3, "passes": -1}, "passes is -1"),
        ({"values": np.ones((3, 3)), "size": 3, "smoother": "fast"}, "unknown smoother 'fast'"),
        ({"values": [[np.nan, 1]], "size": 3}, "not all finite"),
        ({"values": np.ones((3, 3)), "size": 3, "coverage": np.ones((3, 2))}, "coverage has shape"),
        ({"values": np.ones((3, 3)), "size": 3, "coverage": -np.ones((3, 3))}, "negative"),
        ({"values": np.ones((3, 3)), "size": 3, "mask": np.ones(3)}, "mask has shape"),
    ],
)
def test_bad_calls_are_sentences(arguments, message):
    with pytest.raises(ValueError, match=message):
        fm.smooth(**arguments)


def test_the_device_is_checked():
    values = np.random.default_rng(5).normal(size=(9, 7, 5))
    with pytest.raises(ValueError, match="device"):
        fm.smooth(values, 3, device="gpu")
    if not fm.devices():
        with pytest.raises(ValueError, match="device is 'cuda'"):
            fm.smooth(values, 3, device="cuda")
        return
    same = fm.smooth(values, 3, device="cuda")
    np.testing.assert_allclose(same, fm.smooth(values, 3, device="cpu"), atol=1e-12)
