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

export const scripts: Readonly<Record<string, string>> = { bash, zsh, fish };
