import {
  namesOfDrains,
  optionsWithValue,
  pathsBelow,
  type CommandEntry,
  type OptionEntry,
} from "./command-table.ts";

/** For fish, which knows by itself which option a value belongs to. */
export function toFish(table: readonly CommandEntry[]): string {
  return `# Completions of redriver for fish: redriver completions fish | source
function __redriver_at
    set -l at redriver
    set -l option
    for next in (commandline -opc)[2..-1]
        if test -n "$option"
            set option
            continue
        end
        switch $next
            case ${optionsWithValue(table).join(" ")}
                set option $next
            case '*'
                if contains -- "$at $next" ${pathsBelow(table).map(quoted).join(" ")}
                    set at "$at $next"
                end
        end
    end
    test "$at" = "$argv"
end
complete -c redriver -f
${table.flatMap(toLines).join("\n")}
`;
}

function toLines({ path, words, options, takesFile, takesDrains }: CommandEntry): readonly string[] {
  const start = `complete -c redriver -n ${quoted(`__redriver_at ${path}`)}`;
  return [
    ...words.map(({ name, description }) => `${start} -a ${quoted(name)} -d ${quoted(description)}`),
    ...options.map((option) => `${start} ${toOption(option)} -d ${quoted(option.description)}`),
    ...(takesFile ? [`${start} -F`] : []),
    ...(takesDrains ? [`${start} -a ${quoted(`(${namesOfDrains})`)}`] : []),
  ];
}

function toOption({ names, value }: OptionEntry): string {
  const flags = names.map((name) =>
    name.startsWith("--") ? `-l ${quoted(name.slice(2))}` : `-s ${quoted(name.slice(1))}`,
  );
  return [...flags, ...toValue(value)].join(" ");
}

/** `-r` alone would leave no file: the program has none of its own. */
function toValue(value: OptionEntry["value"]): readonly string[] {
  if (value === null) return [];
  if (value === "file") return ["-r -F"];
  if (value === "drain") return [`-x -a ${quoted(`(${namesOfDrains})`)}`];
  return value === "unknown" ? ["-x"] : [`-x -a ${quoted(value.join(" "))}`];
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
}
