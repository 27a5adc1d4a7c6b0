/**
 * Loaded before the main module of every process that the demo starts (`node --import`). When the demo is
 * gone, however it ended, the channel to it breaks. Then the process is asked to stop as an operator would
 * ask it.
 */
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
// Watching the channel alone keeps no process alive.
process.channel?.unref();
