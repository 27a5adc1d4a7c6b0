import { Argument, type Command, type Option } from "commander";
import type { Register } from "../io.ts";
import { loadNames } from "../load-config.ts";

export const registerCompletions: Register = (program, { io, allCommands }) => {
  program
    .command("completions")
    .description("print a shell's completions of commands, options and their words")
    .addArgument(
      new Argument("<shell>", "the shell that reads it; words: what these ask at each TAB").choices([
        ...Object.keys(scripts),
        "words",
      ]),
    )
    .argument("[typed...]", "of words: the line, behind --")
    .action(async (shell: string, typed: readonly string[], _flags: object, command: Command) => {
      if (shell !== "words") {
        io.out(scripts[shell] ?? "");
        return;
      }
      const { words, files, drains } = completeLine(await allCommands(typed), typed);
      for (const { name, description } of words) io.out(`${name} ${description}\n`);
      if (drains) for (const { name } of loadNames(command, io).document.drains) io.out(`${name}\n`);
      if (files) io.out(":files\n");
    });
};

/** `typed`: the words behind `redriver`, the one under the cursor last. The shell leaves out what begins otherwise. */
export function completeLine(program: Command, typed: readonly string[]): Completion {
  let command = program;
  let option: Option | undefined;
  for (const next of typed.slice(0, -1)) {
    // Bash takes the = behind an option for a word.
    if (option !== undefined) option = next === "=" ? option : undefined;
    else if (next.startsWith("-")) option = optionsOf(program, command).find(takesValue(next));
    else command = commandsBelow(command).find((one) => one.name() === next) ?? command;
  }
  const word = typed.at(-1) ?? "";
  const options = optionsOf(program, command);
  const [prefix = "", joined] = /^(--[\w-]+)=/.exec(word) ?? [];
  if (joined !== undefined) return valuesOf(options.find(takesValue(joined)), prefix);
  if (option !== undefined) return valuesOf(option, "");
  const found = argumentsOf(command);
  if (!word.startsWith("-") && (found.words.length > 0 || found.files || found.drains)) return found;
  const words = options.flatMap(({ short, long, description }) =>
    [short, long].flatMap((name) => (name === undefined ? [] : [{ name, description }])),
  );
  return { words, files: false, drains: false };
}

/** `files`, `drains`: those too. */
interface Completion {
  readonly words: readonly { readonly name: string; readonly description: string }[];
  readonly files: boolean;
  readonly drains: boolean;
}

/** With `help`, which commander makes up. */
export function commandsBelow(command: Command): readonly Command[] {
  return command.createHelp().visibleCommands(command);
}

/** Those of the program may stand behind each command. */
export function optionsOf(program: Command, command: Command): readonly Option[] {
  const own = command.createHelp().visibleOptions(command);
  return command === program ? own : [...own, ...program.options.filter(({ long }) => long !== "--version")];
}

function takesValue(name: string): (option: Option) => boolean {
  return ({ short, long, required, optional }) => (required || optional) && [short, long].includes(name);
}

function valuesOf(option: Option | undefined, prefix: string): Completion {
  const { argChoices, flags = "", long } = option ?? {};
  const [, placeholder = ""] = /[<[]([\w-]+)/.exec(flags) ?? [];
  return {
    words: (argChoices ?? []).map((name) => ({ name: prefix + name, description: "" })),
    files: argChoices === undefined && isFile(placeholder),
    drains: long === "--drain",
  };
}

/** Commands below it, and what its arguments may be. */
function argumentsOf(command: Command): Completion {
  const found = command.registeredArguments;
  const choices = found.flatMap(({ argChoices = [], description }) =>
    argChoices.map((name) => ({ name, description })),
  );
  const below = commandsBelow(command).map((one) => ({ name: one.name(), description: one.description() }));
  return {
    words: [...below, ...choices],
    files: found.some((argument) => isFile(argument.name())),
    drains: found.some((argument) => argument.name() === "names"),
  };
}

function isFile(name: string): boolean {
  return ["file", "files", "path", "plan", "record"].includes(name);
}

/**
 * What each shell reads once. At each TAB it asks `redriver completions words`, which prints a word in each line, a space
 * and what it means, and `:files` last if files are meant too.
 */
const ask = "redriver completions words --";

/** Also for bash 3.2, which macOS has. `=` is a word of its own there. */
const bash = `# Completions of redriver for bash: source <(redriver completions bash)
_redriver() {
  local word=\${COMP_WORDS[COMP_CWORD]} IFS=$'\\n' words file
  words=$(${ask} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -d' ' -f1)
  [[ $word == "=" ]] && word=
  COMPREPLY=($(compgen -W "\${words%:files}" -- "$word"))
  if [[ $words == *:files ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$word")
  fi
}
complete -F _redriver redriver
`;

/** As a file in the `fpath`, or sourced after `compinit`. What stands behind the first colon is shown beside a word. */
const zsh = `#compdef redriver
# Completions of redriver for zsh: source <(redriver completions zsh)
_redriver() {
  local -a found
  found=("\${(@f)$(${ask} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $found[-1] == :files ]]; then
    found[-1]=()
    _files
  fi
  found=("\${(@)found/ /:}")
  _describe redriver found
}
if [[ $funcstack[1] == _redriver ]]; then
  _redriver "$@"
else
  compdef _redriver redriver
fi
`;

const fish = `# Completions of redriver for fish: redriver completions fish | source
function __redriver_words
    set -l typed (commandline -opc)[2..-1]
    set -l word (commandline -ct)
    for line in (${ask} $typed "$word" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$word"
        else
            string replace ' ' \\t -- $line
        end
    end
end
complete -c redriver -f -a '(__redriver_words)'
`;

const scripts: Readonly<Record<string, string>> = { bash, zsh, fish };
