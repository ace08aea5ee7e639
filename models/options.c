// Command-line options: getopt and getopt_long. Options may stand after operands, which are moved behind them then, unless
// the letters begin with '+'. The environment has no say in it.

#include <getopt.h>
#include <stdio.h>
#include <string.h>

char *optarg;
int optind = 1, opterr = 1, optopt = '?';

// Where to go on in an argument that holds several short options.
static char *rest;
// The operands that were passed over: from the first to before the last. Options follow, up to optind.
static int first_operand = 1, last_operand = 1;

static int is_option(const char *word) {
    return word[0] == '-' && word[1] != '\0';
}

static int is_silent(const char *letters) {
    return !opterr || *letters == ':';
}

static int complain(char *const *argv, const char *letters, const char *what, const char *option) {
    if (!is_silent(letters))
        fprintf(stderr, "%s: %s -- '%s'\n", argv[0], what, option);
    return '?';
}

static int complain_long(char *const *argv, const char *letters, const char *option, const char *what) {
    if (!is_silent(letters))
        fprintf(stderr, "%s: option '--%s' %s\n", argv[0], option, what);
    return '?';
}

static int missing(const char *letters) {
    return *letters == ':' ? ':' : '?';
}

static int short_option(int argc, char *const *argv, const char *letters) {
    char option[2] = {*rest++, '\0'};
    const char *known = option[0] == ':' ? NULL : strchr(letters, option[0]);
    char *attached = *rest ? rest : NULL;
    int takes_argument = known && known[1] == ':', may_do_without = takes_argument && known[2] == ':';
    optarg = NULL;
    if (attached && !takes_argument)
        return known ? option[0] : (optopt = option[0], complain(argv, letters, "invalid option", option));
    rest = NULL;
    optind++;
    if (!known) {
        optopt = option[0];
        return complain(argv, letters, "invalid option", option);
    }
    if (takes_argument && (attached || may_do_without)) {
        optarg = attached;
    } else if (takes_argument) {
        if (optind >= argc) {
            optopt = option[0];
            complain(argv, letters, "option requires an argument", option);
            return missing(letters);
        }
        optarg = argv[optind++];
    }
    return option[0];
}

// The option that `name` (of this length) means: itself, or the only one that begins so.
static const struct option *find(const struct option *options, const char *name, size_t length) {
    const struct option *found = NULL;
    int ambiguous = 0;
    for (; options->name; options++) {
        if (strncmp(options->name, name, length) != 0)
            continue;
        if (options->name[length] == '\0')
            return options;
        ambiguous |= found && (found->has_arg != options->has_arg || found->val != options->val);
        found = options;
    }
    return ambiguous ? NULL : found;
}

static int long_option(int argc, char *const *argv, const char *letters, const struct option *options, int *index) {
    char *name = argv[optind++] + 2;
    size_t length = strcspn(name, "=");
    const struct option *option = find(options, name, length);
    optarg = NULL;
    optopt = option ? option->val : 0;
    if (!option) {
        if (!is_silent(letters))
            fprintf(stderr, "%s: unrecognized option '--%s'\n", argv[0], name);
        return '?';
    }
    if (name[length] == '=' && option->has_arg == no_argument)
        return complain_long(argv, letters, option->name, "doesn't allow an argument");
    if (name[length] == '=') {
        optarg = name + length + 1;
    } else if (option->has_arg == required_argument) {
        if (optind >= argc) {
            complain_long(argv, letters, option->name, "requires an argument");
            return missing(letters);
        }
        optarg = argv[optind++];
    }
    if (index)
        *index = (int)(option - options);
    if (!option->flag)
        return option->val;
    *option->flag = option->val;
    return 0;
}

// Moves the options behind the operands before them.
static void settle(char **argv) {
    int operands = last_operand - first_operand;
    for (int option = last_operand; operands && option < optind; option++) {
        char *moved = argv[option];
        for (int i = option; i > option - operands; i--)
            argv[i] = argv[i - 1];
        argv[option - operands] = moved;
    }
    last_operand = optind;
    first_operand = optind - operands;
}

// Goes to the next argument that is an option; whether there is one.
static int next_option(int argc, char **argv, int in_order) {
    settle(argv);
    while (!in_order && optind < argc && !is_option(argv[optind]))
        last_operand = ++optind;
    if (optind < argc && strcmp(argv[optind], "--") == 0) {
        optind++;
        settle(argv);
        last_operand = optind = argc;
    }
    if (optind >= argc)
        optind = first_operand;
    else if (is_option(argv[optind]))
        return 1;
    return 0;
}

int getopt_long(int argc, char *const *argv, const char *letters, const struct option *options, int *index) {
    int in_order = *letters == '+';
    letters += in_order;
    if (optind == 0) {
        optind = 1;
        rest = NULL;
        first_operand = last_operand = 1;
    }
    if (rest)
        return short_option(argc, argv, letters);
    if (!next_option(argc, (char **)argv, in_order))
        return -1;
    if (argv[optind][1] == '-' && options)
        return long_option(argc, argv, letters, options, index);
    rest = argv[optind] + 1;
    return short_option(argc, argv, letters);
}

int getopt(int argc, char *const *argv, const char *letters) {
    return getopt_long(argc, argv, letters, NULL, NULL);
}
