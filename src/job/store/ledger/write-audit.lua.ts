import { appendAuditLua } from "../audit/append.lua.ts";

/**
 * answered(answer, isWhole): the reply. If the answer is whole, the texts of the audit that came with the call
 * are written, and the reply says so. The entries are written before.
 *
 * KEYS: 10 the audit's stream, if there are texts. ARGV from 9 on, behind three lists: as appendAudit takes
 * them.
 */
export const writeAuditLua = `${appendAuditLua}
local function answered(answer, isWhole)
  if isWhole and #ARGV >= 9 then
    flush()
    appendAudit(KEYS[10], 9)
    answer.audited = true
  end
  return stamped(answer)
end
`;
