// Written by scripts/stencil_glsl.py from src/eikonal/stencil.hpp, where everything is explained.

float root(float x) { return sqrt(x); }

const float unreached = 1e10;

const float reached_limit = 1e9;

float least(float a, float b) {
    return a < b ? a : b;
}
float most(float a, float b) {
    return a < b ? b : a;
}
float least(float a, float b, float c) {
    return least(least(a, b), c);
}

struct UpwindTerm {
    float near;
    float shift;
    float c;
    float inverse_spacing;
};

struct AxisStencil {
    float low;
    float high;
    float low2;
    float high2;
    float gamma;
    float eta;
    float inverse_spacing;
};

struct UpwindSide {
    float near;
    float far;
    float other;
    float toward;
    float near_ratio2;
    float behind;
    float inverse_spacing;
};

UpwindSide factored_side(AxisStencil axis, bool from_low) {
    UpwindSide side;
    side.near = from_low ? axis.low : axis.high;
    side.far = from_low ? axis.low2 : axis.high2;
    side.other = from_low ? axis.high : axis.low;
    side.toward = from_low ? axis.gamma : -axis.gamma;
    side.near_ratio2 = 1 - 2 * side.toward + axis.eta;
    side.behind =
        1 - side.toward + 1.5 * axis.eta + side.toward * (axis.eta - side.toward);
    side.inverse_spacing = axis.inverse_spacing;
    return side;
}

bool factored_from_low(AxisStencil axis) {
    return (1 - axis.gamma) * axis.low < (1 + axis.gamma) * axis.high;
}
UpwindSide factored_side(AxisStencil axis) {
    return factored_side(axis, factored_from_low(axis));
}

bool godunov_from_low(AxisStencil axis, float tau) {
    return 2 * axis.gamma * tau > axis.low - axis.high;
}
UpwindSide godunov_side(AxisStencil axis, float tau) {
    return factored_side(axis, godunov_from_low(axis, tau));
}

bool both_upwind(UpwindSide side, float tau) {
    return (1 - side.toward) * tau > side.other;
}

bool may_feed(float now, float neighbour, float toward, float eta, float tolerance) {
    const float ratio2 = 1 - 2 * toward + eta;
    const float ratio = ratio2 - toward + eta;
    const float lead = neighbour * ratio - now * ratio2;
    const float square = lead * lead;
    const float least_lead = 2 * tolerance * neighbour * neighbour * ratio2 * ratio2;
    return (neighbour * neighbour * ratio2 > (1 + 4 * tolerance) * now * now) ||
           ((lead > 0) && (square * square > least_lead * least_lead * eta));
}

bool could_feed(float now, float neighbour, float toward, float eta) {
    const float ratio2 = 1 - 2 * toward + eta;
    return (neighbour * neighbour * ratio2 > now * now) ||
           (neighbour * (ratio2 - toward + eta) > now * ratio2);
}

float feeding_lead(float now, float neighbour, float toward, float eta) {
    const float ratio2 = 1 - 2 * toward + eta;
    const float earlier = neighbour * neighbour * ratio2 - now * now;
    const float upwind = neighbour * (ratio2 - toward + eta) - now * ratio2;
    return most(earlier, upwind);
}

float second_lead(float now, float second, float toward, float eta, float tolerance) {
    return second * second * (1 - 4 * toward + 4 * eta) - (1 + 4 * tolerance) * now * now;
}

bool may_feed_second(float now, float second, float toward, float eta, float tolerance) {
    const float least_ratio = 1 - 2 * toward + 2.5 * eta - 4 * toward * toward;
    return (second < reached_limit) && (second_lead(now, second, toward, eta, tolerance) > 0) && ((second * (1 - 4 * toward + 4 * eta) > now * least_ratio) || (eta > 0.0625));
}

bool falls_behind(UpwindSide side) {
    return side.far * side.behind < side.near;
}
bool is_after_far(UpwindSide side, float tau) {
    return tau > side.far * (2 * side.behind - 1);
}

bool fades_out(UpwindSide side, float tau) {
    return falls_behind(side) != is_after_far(side, tau);
}

UpwindTerm term_of(UpwindSide side, float c, float shift) {
    const float one = 1;
    const float none = unreached;
    return UpwindTerm(side.near, c > 0 ? shift : none, c > 0 ? c : one, side.inverse_spacing);
}

UpwindTerm upwind_term(UpwindSide side) {
    float c = 1 + side.toward;
    float shift = -side.near * side.toward;
    if (ORDER == 2) {
        const bool second = falls_behind(side);
        c = second ? c + 0.5 : c;
        shift = second ? shift + 0.5 * (side.near - side.far) : shift;
    }
    return term_of(side, c, shift);
}

UpwindTerm second_term(UpwindSide side, float tau) {
    const float fall = most(side.near - side.far * side.behind, 0.0);
    const bool second = is_after_far(side, tau);
    const float part = 0.5 * (side.far * (2 * side.behind - 1) - side.near);
    const float c = 1 + side.toward;
    return term_of(side, second ? c + 0.5 : c,
                   fall - side.near * side.toward + (second ? part : 0.0));
}

float excess_of(UpwindTerm term, float tau) {
    return term.c * (tau - term.near) - term.shift;
}

UpwindTerm larger_term(UpwindSide low, UpwindSide high,
                                           float tau) {
    const UpwindTerm p = second_term(low, tau);
    const UpwindTerm q = second_term(high, tau);
    const bool from_low = excess_of(p, tau) > excess_of(q, tau);
    return UpwindTerm(from_low ? p.near : q.near, from_low ? p.shift : q.shift, from_low ? p.c : q.c,
            p.inverse_spacing);
}
UpwindTerm factored_term(AxisStencil axis, float tau) {
    return larger_term(factored_side(axis, 0.0 <= 0.0), factored_side(axis, 0.0 < 0.0), tau);
}

UpwindSide plain_side(AxisStencil axis, bool from_low) {
    const float toward = from_low ? axis.gamma : -axis.gamma;
    const float near_ratio2 = 1 + axis.eta - 2 * toward;
    const float far_ratio2 = 1 - 4 * toward + 4 * axis.eta;
    const float none = 0 * toward;
    const float near = (from_low ? axis.low : axis.high) * root(near_ratio2 > 0 ? near_ratio2 : none);
    const float far = (from_low ? axis.low2 : axis.high2) * root(far_ratio2 > 0 ? far_ratio2 : none);
    return UpwindSide(near, far, none, none, none + 1, none + 1, axis.inverse_spacing);
}

bool plain_from_low(AxisStencil axis) {
    const float level = 1 + axis.eta;
    const float slant = 2 * axis.gamma;
    return axis.low * axis.low * (level - slant) < axis.high * axis.high * (level + slant);
}
UpwindSide plain_side(AxisStencil axis) {
    return plain_side(axis, plain_from_low(axis));
}
UpwindTerm plain_term(AxisStencil axis, float tau) {
    return larger_term(plain_side(axis, 0.0 <= 0.0), plain_side(axis, 0.0 < 0.0), tau);
}

struct UpwindLine {
    float slope;
    float rise;
};

UpwindLine line_of(UpwindTerm term, float base) {
    return UpwindLine(term.c * term.inverse_spacing,
            (term.c * (term.near - base) + term.shift) * term.inverse_spacing);
}

float lead(UpwindLine p, UpwindLine q) {
    return p.slope * q.rise - q.slope * p.rise;
}

float upper_root(float slope2, float slope_rise, float lead2, float f2) {
    const float square = slope2 * f2 - lead2;
    const float none = 0.0;
    return (slope_rise + root(square > none ? square : none)) * (1 / slope2);
}

float solve_upwind(UpwindTerm first, UpwindTerm second, float f) {
    const float base = least(first.near, second.near);
    const UpwindLine p = line_of(first, base);
    const UpwindLine q = line_of(second, base);
    const float none = 0.0;
    const float pq = lead(p, q);
    const float pq2 = pq * pq;
    const float p2 = p.slope * p.slope;
    const float q2 = q.slope * q.slope;
    const float f2 = f * f;
    const bool has_p = (pq < 0 ? pq2 : none) < p2 * f2;
    const bool has_q = (pq > 0 ? pq2 : none) < q2 * f2;
    const float slope2 = (has_p ? p2 : none) + (has_q ? q2 : none);
    const float slope_rise = (has_p ? p.slope * p.rise : none) + (has_q ? q.slope * q.rise : none);
    return base + upper_root(slope2, slope_rise, has_p && has_q ? pq2 : none, f2);
}

float solve_upwind(UpwindTerm first, UpwindTerm second,
                                UpwindTerm third, float f) {
    const float base = least(first.near, second.near, third.near);
    const UpwindLine p = line_of(first, base);
    const UpwindLine q = line_of(second, base);
    const UpwindLine r = line_of(third, base);
    const float none = 0.0;
    const float pq = lead(p, q);
    const float pr = lead(p, r);
    const float qr = lead(q, r);
    const float pq2 = pq * pq;
    const float pr2 = pr * pr;
    const float qr2 = qr * qr;
    const float p2 = p.slope * p.slope;
    const float q2 = q.slope * q.slope;
    const float r2 = r.slope * r.slope;
    const float f2 = f * f;
    const bool has_p = (pq < 0 ? pq2 : none) + (pr < 0 ? pr2 : none) < p2 * f2;
    const bool has_q = (pq > 0 ? pq2 : none) + (qr < 0 ? qr2 : none) < q2 * f2;
    const bool has_r = (pr > 0 ? pr2 : none) + (qr > 0 ? qr2 : none) < r2 * f2;
    const float slope2 = (has_p ? p2 : none) + (has_q ? q2 : none) + (has_r ? r2 : none);
    const float slope_rise = (has_p ? p.slope * p.rise : none) + (has_q ? q.slope * q.rise : none) +
                         (has_r ? r.slope * r.rise : none);
    const float lead2 =
        (has_p && has_q ? pq2 : none) + (has_p && has_r ? pr2 : none) + (has_q && has_r ? qr2 : none);
    return base + upper_root(slope2, slope_rise, lead2, f2);
}

float late_limit(float f, float inverse_r2) {
    return 4 * f / root(inverse_r2);
}

float plain_where_late(float factored, float plain, float f, float inverse_r2) {
    const float limit = late_limit(f, inverse_r2);
    return plain > limit ? plain : least(factored, limit);
}

bool may_be_late(float tau, float nearest2, float f, float inverse_r2) {
    const float f2 = f * f;
    return (nearest2 * inverse_r2 > 9 * f2) || (tau * tau * inverse_r2 > 16 * f2);
}
