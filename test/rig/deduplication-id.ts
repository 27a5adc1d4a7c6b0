/** `redriver-<ms>-<seq>` with `-<suffix>` from the second series on; null for any other. Read here, so that a mistake in src is not shared. */
export function readDeduplicationId(
  text: string | undefined,
): { readonly dlqId: string; readonly suffix: number } | null {
  const [, dlqId, suffix = "1"] = /^redriver-(\d+-\d+)(?:-(\d+))?$/.exec(text ?? "") ?? [];
  return dlqId === undefined ? null : { dlqId, suffix: Number(suffix) };
}
