// Days and hours of a time. There is one time zone: UTC.

#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

char *tzname[2] = {"UTC", "UTC"};
long timezone;
int daylight;

static const char *const days[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
static const char *const months[] = {"January", "February", "March",     "April",   "May",      "June",
                                     "July",    "August",   "September", "October", "November", "December"};

void tzset(void) {
}

// The days from 1970 to the first of March of a year, as if every year began in March: leap days come last then.
static long days_before(long year) {
    long era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 - 719468;
}

static int is_leap(long year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int day_of_year(long year, int month, int day) {
    static const short before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    return before[month] + day - 1 + (month > 1 && is_leap(year));
}

struct tm *gmtime_r(const time_t *restrict time, struct tm *restrict to) {
    long day = *time / 86400, second = *time % 86400;
    if (second < 0) {
        second += 86400;
        day--;
    }
    long shifted = day + 719468;
    long era = (shifted >= 0 ? shifted : shifted - 146096) / 146097, of_era = shifted - era * 146097;
    long year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    long of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    long month = (5 * of_year + 2) / 153;
    long year = year_of_era + era * 400 + (month >= 10);
    if (year - 1900 > INT_MAX || year - 1900 < INT_MIN) {
        errno = EOVERFLOW;
        return NULL;
    }
    *to = (struct tm){
        .tm_sec = (int)(second % 60),
        .tm_min = (int)(second / 60 % 60),
        .tm_hour = (int)(second / 3600),
        .tm_mday = (int)(of_year - (153 * month + 2) / 5 + 1),
        .tm_mon = (int)(month < 10 ? month + 2 : month - 10),
        .tm_year = (int)(year - 1900),
        .tm_wday = (int)((day % 7 + 11) % 7),
        .tm_zone = "GMT",
    };
    to->tm_yday = day_of_year(year, to->tm_mon, to->tm_mday);
    return to;
}

struct tm *localtime_r(const time_t *restrict time, struct tm *restrict to) {
    struct tm *result = gmtime_r(time, to);
    if (result)
        result->tm_zone = "UTC";
    return result;
}

// As in every C library, these share one result.
static struct tm shared;

struct tm *gmtime(const time_t *time) {
    return gmtime_r(time, &shared);
}

struct tm *localtime(const time_t *time) {
    return localtime_r(time, &shared);
}

time_t timegm(struct tm *from) {
    long month = from->tm_mon % 12, year = from->tm_year + 1900L + from->tm_mon / 12;
    if (month < 0) {
        month += 12;
        year--;
    }
    // Months from March on.
    long shifted = month >= 2 ? month - 2 : month + 10;
    long day = days_before(month >= 2 ? year : year - 1) + (153 * shifted + 2) / 5 + from->tm_mday - 1;
    time_t time = ((day * 24 + from->tm_hour) * 60 + from->tm_min) * 60 + from->tm_sec;
    return gmtime_r(&time, from) ? time : -1;
}

time_t mktime(struct tm *from) {
    time_t time = timegm(from);
    from->tm_zone = "UTC";
    return time;
}

time_t timelocal(struct tm *from) {
    return mktime(from);
}

char *asctime_r(const struct tm *restrict time, char *restrict to) {
    const char *day = time->tm_wday >= 0 && time->tm_wday < 7 ? days[time->tm_wday] : "???";
    const char *month = time->tm_mon >= 0 && time->tm_mon < 12 ? months[time->tm_mon] : "???";
    sprintf(to, "%.3s %.3s%3d %.2d:%.2d:%.2d %d\n", day, month, time->tm_mday, time->tm_hour, time->tm_min, time->tm_sec,
            1900 + time->tm_year);
    return to;
}

char *asctime(const struct tm *time) {
    static char text[64];
    return asctime_r(time, text);
}

char *ctime_r(const time_t *time, char *to) {
    struct tm parts;
    return localtime_r(time, &parts) ? asctime_r(&parts, to) : NULL;
}

char *ctime(const time_t *time) {
    struct tm *parts = localtime(time);
    return parts ? asctime(parts) : NULL;
}

// The ISO week of a day, and the year that the week belongs to.
static int week_of(const struct tm *time, long *year) {
    int monday_based = (time->tm_wday + 6) % 7;
    int week = (time->tm_yday - monday_based + 10) / 7;
    *year = time->tm_year + 1900L;
    if (week < 1) {
        --*year;
        int last = 365 + is_leap(*year);
        return (time->tm_yday + last - monday_based + 10) / 7;
    }
    if (week == 53 && time->tm_yday - monday_based + 3 >= 365 + is_leap(*year)) {
        ++*year;
        return 1;
    }
    return week;
}

// One conversion of strftime; NULL if there is no such letter. `expansion` is set for those that stand for others.
static const char *conversion(char letter, const struct tm *time, char *to, size_t room, const char **expansion) {
    long year = time->tm_year + 1900L, week_year;
    int week = week_of(time, &week_year), hour = time->tm_hour % 12 ? time->tm_hour % 12 : 12;
    struct tm copy = *time;
    *expansion = NULL;
    switch (letter) {
    case 'a': snprintf(to, room, "%.3s", days[time->tm_wday]); break;
    case 'A': return days[time->tm_wday];
    case 'b':
    case 'h': snprintf(to, room, "%.3s", months[time->tm_mon]); break;
    case 'B': return months[time->tm_mon];
    case 'c': *expansion = "%a %b %e %H:%M:%S %Y"; break;
    case 'C': snprintf(to, room, "%02ld", year / 100); break;
    case 'd': snprintf(to, room, "%02d", time->tm_mday); break;
    case 'D':
    case 'x': *expansion = "%m/%d/%y"; break;
    case 'e': snprintf(to, room, "%2d", time->tm_mday); break;
    case 'F': *expansion = "%Y-%m-%d"; break;
    case 'g': snprintf(to, room, "%02ld", week_year % 100); break;
    case 'G': snprintf(to, room, "%ld", week_year); break;
    case 'H': snprintf(to, room, "%02d", time->tm_hour); break;
    case 'I': snprintf(to, room, "%02d", hour); break;
    case 'j': snprintf(to, room, "%03d", time->tm_yday + 1); break;
    case 'k': snprintf(to, room, "%2d", time->tm_hour); break;
    case 'l': snprintf(to, room, "%2d", hour); break;
    case 'm': snprintf(to, room, "%02d", time->tm_mon + 1); break;
    case 'M': snprintf(to, room, "%02d", time->tm_min); break;
    case 'n': return "\n";
    case 'p': return time->tm_hour < 12 ? "AM" : "PM";
    case 'P': return time->tm_hour < 12 ? "am" : "pm";
    case 'r': *expansion = "%I:%M:%S %p"; break;
    case 'R': *expansion = "%H:%M"; break;
    case 's': snprintf(to, room, "%ld", (long)timegm(&copy)); break;
    case 'S': snprintf(to, room, "%02d", time->tm_sec); break;
    case 't': return "\t";
    case 'T':
    case 'X': *expansion = "%H:%M:%S"; break;
    case 'u': snprintf(to, room, "%d", time->tm_wday ? time->tm_wday : 7); break;
    case 'U': snprintf(to, room, "%02d", (time->tm_yday + 7 - time->tm_wday) / 7); break;
    case 'V': snprintf(to, room, "%02d", week); break;
    case 'w': snprintf(to, room, "%d", time->tm_wday); break;
    case 'W': snprintf(to, room, "%02d", (time->tm_yday + 7 - (time->tm_wday + 6) % 7) / 7); break;
    case 'y': snprintf(to, room, "%02ld", year % 100); break;
    case 'Y': snprintf(to, room, "%ld", year); break;
    case 'z': return "+0000";
    case 'Z': return time->tm_zone ? time->tm_zone : "";
    case '%': return "%";
    default: return NULL;
    }
    return to;
}

size_t strftime(char *restrict to, size_t size, const char *restrict format, const struct tm *restrict time) {
    size_t used = 0;
    for (; *format; format++) {
        char buffer[32];
        const char *text = buffer, *expansion = NULL;
        size_t length = 1;
        if (*format != '%') {
            buffer[0] = *format;
        } else {
            const char *percent = format++;
            while (*format == 'E' || *format == 'O')
                format++;
            text = conversion(*format, time, buffer, sizeof buffer, &expansion);
            if (text) {
                length = expansion ? 0 : strlen(text);
            } else {
                // Not a conversion: it stands for itself.
                text = percent;
                length = (size_t)(format - percent) + (*format != 0);
                if (!*format)
                    format--;
            }
        }
        if (expansion) {
            length = strftime(to + used, size - used, expansion, time);
            if (length == 0)
                return 0;
        } else {
            if (length >= size - used)
                return 0;
            memcpy(to + used, text, length);
        }
        used += length;
    }
    if (used >= size)
        return 0;
    to[used] = 0;
    return used;
}
