#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the manual page of gst-lmcc-1.0, or what a shell completes of its command line, to standard output.

Commands, options and their texts are asked of the tool, which prints them with --help-json.
"""
import argparse
import json
import re
import subprocess
from email.utils import parsedate_to_datetime
from pathlib import Path

NAME = 'gst-lmcc-1.0'
FUNCTION = '_gst_lmcc_1_0'
LICENSE = ['lmcc: layered multicast congestion control', 'SPDX-License-Identifier: LGPL-2.1-or-later']

# What GOption adds to every command, and where GStreamer's options are taken.
HELP = [{'name': 'help', 'short': 'h', 'argument': None, 'description': 'Show the options of this command'}]
HELP_GSTREAMER = [
    {'name': 'help-all', 'argument': None, 'description': 'Show the options of this command and of GStreamer'},
    {'name': 'help-gst', 'argument': None, 'description': 'Show the options of GStreamer'},
]


def ask(tool, *command):
    result = subprocess.run([tool, *command, '--help-json'], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(result.stdout)


def read_help(tool):
    told = ask(tool)
    for command in told['commands']:
        about = ask(tool, command['name'])
        command.update(about=about['summary'], arguments=about['arguments'] or '', options=about['options'],
                       values=about['values'], help=HELP + (HELP_GSTREAMER if about['gstreamer'] else []))
    return told


# The manual page

def roff(text):
    return text.replace('\\', '\\e').replace('-', '\\-')


def roff_line(text):
    """A line of its own: it is no request, whatever it begins with."""
    return ('\\&' if text[:1] in ('.', "'") else '') + roff(text)


def roff_usage(text):
    """What the user replaces is in italics, the rest is typed as it is."""
    return re.sub(r'[A-Z]{2,}', r'\\fI\g<0>\\fR', roff(text))


def roff_option(option):
    argument = f"=\\fI{roff(option['argument'])}\\fR" if option.get('argument') else ''
    short = f"\\fB\\-{option['short']}\\fR, " if 'short' in option else ''
    return ['.TP', f"{short}\\fB{roff('--' + option['name'])}\\fR{argument}", roff_line(option['description'])]


def roff_command(command):
    yield f".SS {command['name']}"
    arguments = ' '.join(filter(None, [command['arguments'], '[OPTION...]']))
    yield f"\\fB{roff(NAME)} {command['name']}\\fR {roff_usage(arguments)}"
    yield '.PP'
    yield from map(roff_line, command['about'].split('\n'))
    for option in command['options'] + command['help']:
        yield from roff_option(option)


def date_of_release(changelog):
    latest = re.search(r'^ -- .*>  (.*)$', changelog.read_text(encoding='utf-8'), re.MULTILINE)[1]
    return parsedate_to_datetime(latest).date().isoformat()


def write_man(told, options):
    commands, details = [], []
    for command in told['commands']:
        commands += ['.TP', f".B {command['name']}", roff_line(command['summary'])]
        details += roff_command(command)
    what = told['summary'].rstrip('.')
    blocks = {
        'DATE': date_of_release(options.changelog),
        'VERSION': roff(told['version']),
        'SUMMARY': roff(what[0].lower() + what[1:]),
        'COMMANDS': '\n'.join(commands),
        'OPTIONS': '\n'.join([line for option in told['options'] for line in roff_option(option)] + details),
    }
    page = options.template.read_text(encoding='utf-8')
    return re.sub(r'@(\w+)@', lambda match: blocks[match[1]], page)


# Completion. An argument's name says what it is.

def choices_of(argument, command):
    """(words, whether files are meant, whether interfaces are) of an argument such as FILE|camera|test."""
    words, files, interfaces = [], False, False
    for name in (argument or '').strip('[]').split('|'):
        if name == 'FILE':
            files = True
        elif name == 'IFACE':
            interfaces = True
        elif name in command['values']:
            words += command['values'][name]
        elif name.islower():
            words.append(name)
    return words, files, interfaces


def bash_offers(argument, command):
    words, files, interfaces = choices_of(argument, command)
    return [f"words='{' '.join(words)}'"] * bool(words) + ['files=yes'] * files + ['interfaces=yes'] * interfaces


def bash_command(command):
    options = [f"--{option['name']}" + ('=' if option['argument'] else '')
               for option in command['options'] + command['help']]
    yield f"    {command['name']})"
    yield f"      options='{' '.join(options)}'"
    yield '      case $option in'
    for option in command['options']:
        if option['argument']:
            offers = bash_offers(option['argument'], command)
            yield f"        --{option['name']}) {'; '.join(offers) or ':'} ;;"
    yield f"        *) {'; '.join([*bash_offers(command['arguments'], command), 'argument=yes'])} ;;"
    yield '      esac'
    yield '      ;;'


BASH = '''
%(function)s_interfaces() {
  local before= each
  [[ $1 == *,* ]] && before=${1%%,*},
  for each in /sys/class/net/*/; do
    each=${each%%/}
    each=$before${each##*/}
    [[ $each == "$1"* ]] && COMPREPLY+=("$each")
  done
}

%(function)s() {
  local at=$COMP_CWORD current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
  local option= words= options= files= interfaces= argument= prefix=
  COMPREPLY=()
  if ((at == 1)); then
    mapfile -t COMPREPLY < <(compgen -W '%(first)s' -- "$current")
    return
  fi

  # Readline makes three words of --option=VALUE, unless COMP_WORDBREAKS has no equals sign.
  if [[ $current == --*=* ]]; then
    option=${current%%%%=*}
    prefix=$option=
    current=${current#*=}
  elif [[ $current == '=' ]]; then
    option=${COMP_WORDS[at - 1]}
    current=
  elif [[ ${COMP_WORDS[at - 1]} == '=' ]]; then
    option=${COMP_WORDS[at - 2]}
  else
    option=${COMP_WORDS[at - 1]}
  fi

  case $command in
%(commands)s
    *) return ;;
  esac

  if [[ -n $argument && $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
    return
  fi
  [[ -n $words ]] && mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  [[ -n $interfaces ]] && %(function)s_interfaces "$current"
  if [[ -n $files ]]; then
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
    compopt -o filenames -o default 2>/dev/null
  fi
  COMPREPLY=("${COMPREPLY[@]/#/$prefix}")
}

complete -F %(function)s %(name)s
'''


def write_bash(told, _options):
    first = [command['name'] for command in told['commands']] + [f"--{option['name']}" for option in told['options']]
    text = BASH % {
        'function': FUNCTION, 'name': NAME, 'first': ' '.join(first),
        'commands': '\n'.join(line for command in told['commands'] for line in bash_command(command)),
    }
    return '\n'.join(f'# {line}' for line in LICENSE) + '\n' + text


def zsh_quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh_action(argument, command):
    words, files, interfaces = choices_of(argument, command)
    if words and files:
        return f'_alternative "words:word:({" ".join(words)})" "files:file:_files"'
    if words:
        return f'({" ".join(words)})'
    if files:
        return '_files'
    # A message alone, ' ', would keep an option from being completed where the argument may stand, too.
    return '_sequence _net_interfaces' if interfaces else '()'


def zsh_option(option, command, alone=False):
    description = re.sub(r'([\[\]\\])', r'\\\1', option['description'])
    text = '(- *)' * alone + f"--{option['name']}" + ('=' if option.get('argument') else '') + f'[{description}]'
    if option.get('argument'):
        text += f":{option['argument'].replace(':', chr(92) + ':')}:{zsh_action(option['argument'], command)}"
    return zsh_quote(text)


def zsh_command(command):
    specs = [zsh_option(option, command) for option in command['options']]
    specs += [zsh_option(option, command, alone=True) for option in command['help']]
    if command['arguments']:
        name = command['arguments'].strip('[]').replace(':', '\\:')
        specs.append(zsh_quote(f"1:{name}:{zsh_action(command['arguments'], command)}"))
    yield f"        {command['name']})"
    yield '          _arguments \\\n            ' + ' \\\n            '.join(specs)
    yield '          ;;'


ZSH = '''
%(function)s() {
  local curcontext=$curcontext state line
  local -a commands=(
%(summaries)s
  )
  _arguments -C %(options)s '1:command:->command' '*::argument:->argument'
  case $state in
    command)
      _describe command commands
      ;;
    argument)
      case $line[1] in
%(commands)s
      esac
      ;;
  esac
}

%(function)s "$@"
'''


def write_zsh(told, _options):
    text = ZSH % {
        'function': FUNCTION,
        'summaries': '\n'.join(f"    {zsh_quote(command['name'] + ':' + command['summary'])}"
                               for command in told['commands']),
        'options': ' '.join(zsh_option(option, {}, alone=True) for option in told['options']),
        'commands': '\n'.join(line for command in told['commands'] for line in zsh_command(command)),
    }
    return '\n'.join([f'#compdef {NAME}', *(f'# {line}' for line in LICENSE)]) + '\n' + text


WRITERS = {'man': write_man, 'bash': write_bash, 'zsh': write_zsh}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('form', choices=WRITERS)
    parser.add_argument('tool', help='the program gst-lmcc-1.0')
    parser.add_argument('--template', type=Path, help='man: the page, with @COMMANDS@ and @OPTIONS@ to be filled in')
    parser.add_argument('--changelog', type=Path, help='man: whose latest entry has the date of the page')
    options = parser.parse_args()
    if options.form == 'man' and not (options.template and options.changelog):
        parser.error('man needs --template and --changelog')
    print(WRITERS[options.form](read_help(options.tool), options), end='')


if __name__ == '__main__':
    main()
