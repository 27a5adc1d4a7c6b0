import { namesOfDrains, optionsWithValue, pathsBelow, type CommandEntry } from "./command-table.ts";
import { quoted } from "./quoted.ts";

/**
 * A function for bash's `complete`, also of bash 3.2, which macOS has. It finds the command in the words before the
 * cursor. `=` is a word of its own there.
 */
export function toBash(table: readonly CommandEntry[]): string {
  return `# Completions of redriver for bash: source <(redriver completions bash)
_redriver() {
  local word=\${COMP_WORDS[COMP_CWORD]} at=redriver option= words= commands= options= files= drains= index next
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    next=\${COMP_WORDS[index]}
    if [[ -n $option ]]; then
      [[ $next == "=" ]] || option=
      continue
    fi
    case $next in
      ${optionsWithValue(table).join("|")}) option=$next; continue ;;
    esac
    case "$at $next" in
      ${pathsBelow(table).map(quoted).join("|")}) at="$at $next" ;;
    esac
  done
  [[ $word == "=" ]] && word=
  if [[ -n $option ]]; then
    case "$at $option" in
${table.flatMap(toValueCases).join("")}    esac
  else
    case $at in
${table.map(toCommandCase).join("")}    esac
    if [[ $word == -* || -z $commands$files$drains ]]; then words=$options; else words=$commands; fi
    [[ -n $drains && $word != -* ]] && words=$(${namesOfDrains})
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  if [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r next; do COMPREPLY+=("$next"); done < <(compgen -f -- "$word")
  fi
}
complete -F _redriver redriver
`;
}

function toCommandCase({ path, words, options, takesFile, takesDrains }: CommandEntry): string {
  const commands = words.map(({ name }) => name).join(" ");
  const names = options.flatMap((option) => option.names).join(" ");
  const files = takesFile ? " files=1" : "";
  const drains = takesDrains ? " drains=1" : "";
  return `      ${quoted(path)}) commands=${quoted(commands)} options=${quoted(names)}${files}${drains} ;;\n`;
}

function toValueCases({ path, options }: CommandEntry): readonly string[] {
  return options.flatMap(({ names, value }) => {
    if (value === null || value === "unknown") return [];
    const ofDrain = value === "drain" ? `words=$(${namesOfDrains})` : null;
    const act = ofDrain ?? (value === "file" ? "files=1" : `words=${quoted([value].flat().join(" "))}`);
    return [`      ${names.map((name) => quoted(`${path} ${name}`)).join("|")}) ${act} ;;\n`];
  });
}
