#pragma once

namespace fermat {

/// A date and a time of day.
struct DateParts {
    int year = 1970;
    int month = 1;
    int day = 1;
    int hour = 0;
    int minute = 0;
    double second = 0;
};

/// The parts of seconds since 1970, rounded to `decimals` of a second (at most 6) before they are
/// taken apart, so that no second is written as 60.
DateParts date_parts(double seconds, int decimals = 6);

/// Whether a year from 1 to 9999 has these seconds since 1970: formats have no others.
bool has_date(double seconds);

}  // namespace fermat
