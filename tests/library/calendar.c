// Days and hours of times, before and after 1970, around leap days and turns of years.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const time_t moments[] = {0, 1, -1, 86399, 86400, -86400, 951782399, 951782400, 951868799, 951868800, 1700000000,
                                 1704067199, 1704067200, 4102444800, -2208988800, 253402300799, 1230768000,
                                 1451606399, 1609459199, 1609459200, 1293839999};

int main(void) {
    tzset();
    printf("%s %ld %d\n", tzname[0], timezone, daylight);
    for (size_t i = 0; i < sizeof moments / sizeof moments[0]; i++) {
        struct tm parts, *shared = gmtime(&moments[i]);
        printf("%d %d %d %d %d %d %d %d %s ", shared->tm_year, shared->tm_mon, shared->tm_mday, shared->tm_hour, shared->tm_min,
               shared->tm_sec, shared->tm_wday, shared->tm_yday, shared->tm_zone);
        localtime_r(&moments[i], &parts);
        char text[256];
        strftime(text, sizeof text, "%a %A %b %B %c %C %d %D %e %F %g %G %h %H %I %j %k %l %m %M %p %P %r %R %s %S %T %u %U %V "
                                    "%w %W %x %X %y %Y %z %Z %% %n%t %Ey %Od", &parts);
        printf("%s %s", text, asctime(&parts));
        struct tm back = parts;
        printf("%ld ", (long)timegm(&back));
        parts.tm_mon += 14;
        parts.tm_mday -= 40;
        parts.tm_hour += 100;
        parts.tm_isdst = 0;
        printf("%ld %d %d ", (long)mktime(&parts), parts.tm_yday, parts.tm_wday);
        parts.tm_sec += 61;
        printf("%ld %s", (long)timelocal(&parts), ctime(&moments[i]));
        char small[64];
        printf("%s%s", ctime_r(&moments[i], small), asctime_r(gmtime_r(&moments[i], &parts), small));
        printf("%d %zu %zu\n", localtime(&moments[i])->tm_mday, strftime(small, 4, "%Y", &parts), strftime(small, 5, "%Y", &parts));
    }
    printf("%g\n", difftime(10, 4));
    return 0;
}
