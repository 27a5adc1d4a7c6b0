import {
  namesOfDrains,
  optionsWithValue,
  pathsBelow,
  type CommandEntry,
  type Word,
} from "./command-table.ts";
import { quoted } from "./quoted.ts";

/** For zsh's completion system, as a file in its `fpath` or sourced after `compinit`. */
export function toZsh(table: readonly CommandEntry[]): string {
  return `#compdef redriver
# Completions of redriver for zsh: source <(redriver completions zsh)
_redriver() {
  local at=redriver option= files= drains= next index
  local -a commands options
  for ((index = 2; index < CURRENT; index++)); do
    next=$words[index]
    if [[ -n $option ]]; then
      option=
      continue
    fi
    case $next in
      (${optionsWithValue(table).join("|")}) option=$next; continue ;;
    esac
    case "$at $next" in
      (${pathsBelow(table).map(quoted).join("|")}) at="$at $next" ;;
    esac
  done
  if [[ -z $option && $PREFIX == --*=* ]]; then
    option=\${PREFIX%%=*}
    compset -P '*='
  fi
  if [[ -n $option ]]; then
    case "$at $option" in
${table.flatMap(toValueCases).join("")}    esac
    return
  fi
  case $at in
${table.map(toCommandCase).join("")}  esac
  if [[ $PREFIX == -* || -z $commands$files$drains ]]; then
    _describe -o option options
    return
  fi
  (( $#commands )) && _describe command commands
  [[ -n $drains ]] && compadd -- \${(f)"$(${namesOfDrains})"}
  [[ -n $files ]] && _files
}
if [[ $funcstack[1] == _redriver ]]; then
  _redriver "$@"
else
  compdef _redriver redriver
fi
`;
}

function toCommandCase({ path, words, options, takesFile, takesDrains }: CommandEntry): string {
  const flags = options.flatMap(({ names, description }) => names.map((name) => ({ name, description })));
  const files = takesFile ? " files=1" : takesDrains ? " drains=1" : "";
  return `    (${quoted(path)}) commands=(${words.map(toItem).join(" ")}) options=(${flags.map(toItem).join(" ")})${files} ;;\n`;
}

/** What stands behind the first colon is shown beside the word. */
function toItem({ name, description }: Word): string {
  return quoted(`${name.replaceAll(":", "\\:")}:${description}`);
}

function toValueCases({ path, options }: CommandEntry): readonly string[] {
  return options.flatMap(({ names, value }) => {
    if (value === null || value === "unknown") return [];
    const ofDrain = value === "drain" ? `compadd -- \${(f)"$(${namesOfDrains})"}` : null;
    const act =
      ofDrain ?? (value === "file" ? "_files" : `compadd -- ${[value].flat().map(quoted).join(" ")}`);
    return [`      (${names.map((name) => quoted(`${path} ${name}`)).join("|")}) ${act} ;;\n`];
  });
}
