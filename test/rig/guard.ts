import { spawn } from "node:child_process";

/** Kills what it guards when the soak is gone, however that ended: also what was stopped with SIGSTOP. */
export type Guard = ReturnType<typeof startGuard>;

const script = `
while read -r what pid; do
  case $what in
    +) pids="$pids $pid " ;;
    -) pids=$(echo "$pids" | sed "s/ $pid / /g") ;;
  esac
done
for pid in $pids; do kill -KILL "$pid" 2>/dev/null; done
`;

/** In a process group of its own: Ctrl-C reaches the soak alone. */
export function startGuard() {
  const shell = spawn("/bin/sh", ["-c", script], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  shell.unref();
  return {
    add: (pid: number) => void shell.stdin.write(`+ ${pid}\n`),
    remove: (pid: number) => void shell.stdin.write(`- ${pid}\n`),
    /** Ends the guard, and what it still guards. */
    close: () => void shell.stdin.end(),
  };
}
