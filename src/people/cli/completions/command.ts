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
      const { words, files, drains } = completeLine(toCommandTable(await allCommands(typed)), typed);
      for (const { name, description } of words) io.out(`${name} ${description}\n`);
      if (drains) for (const { name } of loadNames(command, io).document.drains) io.out(`${name}\n`);
      if (files) io.out(":files\n");
    });
};

interface Word {
  readonly name: string;
  readonly description: string;
}

type OptionEntry = ReturnType<typeof toOption>;

export interface CommandEntry {
  /** As it is typed: `redriver lanes probe`; `redriver` for no command at all. */
  readonly path: string;
  /** Commands below it, and words that its arguments may be. */
  readonly words: readonly Word[];
  readonly options: readonly OptionEntry[];
  /** An argument of it is a file. */
  readonly takesFile: boolean;
  /** An argument of it names drains. */
  readonly takesDrains: boolean;
}

/** Each command has also the options of the program: they may stand behind it. */
export function toCommandTable(program: Command): readonly CommandEntry[] {
  const common = program.options.filter((option) => option.long !== "--version").map(toOption);
  return toEntries(program, program.name(), []);

  function toEntries(
    command: Command,
    path: string,
    inherited: readonly OptionEntry[],
  ): readonly CommandEntry[] {
    const help = command.createHelp();
    const below = help.visibleCommands(command);
    const choices = command.registeredArguments.flatMap(({ argChoices = [], description }) =>
      argChoices.map((name) => ({ name, description })),
    );
    const entry: CommandEntry = {
      path,
      words: [...below.map((one) => ({ name: one.name(), description: one.description() })), ...choices],
      options: [...help.visibleOptions(command).map(toOption), ...inherited],
      takesFile: command.registeredArguments.some((argument) => isFile(argument.name())),
      takesDrains: command.registeredArguments.some((argument) => argument.name() === "names"),
    };
    // Commander makes the command `help` up: it has none below it.
    const entries = below.flatMap((one) => toEntries(one, `${path} ${one.name()}`, common));
    return [entry, ...entries];
  }
}

/** `value`: what completes it: a file, a drain of the document or one of these words; null: it takes none. */
function toOption({ short, long, description, flags, required, optional, argChoices }: Option) {
  const placeholder = /[<[]([\w-]+)/.exec(flags)?.[1] ?? "";
  const known = long === "--drain" ? "drain" : isFile(placeholder) ? "file" : "unknown";
  const value = required || optional ? (argChoices ?? known) : null;
  return { names: [short, long].filter((name) => name !== undefined), description, value };
}

function isFile(name: string): boolean {
  return ["file", "files", "path", "plan", "record"].includes(name);
}

/** `typed`: the words behind `redriver`, the one under the cursor last. The shell leaves out what begins otherwise. */
export function completeLine(table: readonly CommandEntry[], typed: readonly string[]): typeof nothing {
  const options = table.flatMap((entry) => entry.options);
  // None takes a value in one command alone.
  const withValue = new Set(options.flatMap(({ names, value }) => (value === null ? [] : names)));
  const word = typed.at(-1) ?? "";
  let path = table[0]?.path ?? "";
  let option: string | null = null;
  for (const next of typed.slice(0, -1)) {
    // Bash takes the = behind an option for a word.
    if (option !== null) option = next === "=" ? option : null;
    else if (withValue.has(next)) option = next;
    else if (table.some((entry) => entry.path === `${path} ${next}`)) path += ` ${next}`;
  }
  const entry = table.find((one) => one.path === path);
  if (entry === undefined) return nothing;
  const [, joined] = /^(--[\w-]+)=/.exec(word) ?? [];
  const named = joined ?? option;
  if (named !== null) {
    const value = entry.options.find(({ names }) => names.includes(named))?.value;
    const prefix = joined === undefined ? "" : `${joined}=`;
    const choices = typeof value === "object" && value !== null ? value : [];
    return {
      words: choices.map((name) => ({ name: `${prefix}${name}`, description: "" })),
      files: value === "file",
      drains: value === "drain",
    };
  }
  const { words, takesFile, takesDrains } = entry;
  if (!word.startsWith("-") && (words.length > 0 || takesFile || takesDrains)) {
    return { words, files: takesFile, drains: takesDrains };
  }
  return {
    ...nothing,
    words: entry.options.flatMap(({ names, description }) => names.map((name) => ({ name, description }))),
  };
}

/** `files`, `drains`: those too. */
const nothing = { words: [] as readonly Word[], files: false, drains: false };

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
