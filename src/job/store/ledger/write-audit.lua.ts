import { appendAuditLua } from "../audit/append.lua.ts";

/**
 * answered(answer, isWhole, dlqIds, as): the reply. If the answer is whole, the texts of the audit that came
 * with the call are written, and the reply says so. The entries are written before. dlqIds and as are the lists
 * (JSON) that the texts do not repeat.
 *
 * KEYS: 3 the audit's stream, if there are texts. ARGV from 7 on, behind three lists: as appendAudit takes them.
 */
export const writeAuditLua = `${appendAuditLua}
local function answered(answer, isWhole, dlqIds, as)
  if isWhole and #ARGV >= 7 then
    flush()
    appendAudit(KEYS[3], 7, { ['\\1'] = dlqIds, ['\\2'] = as })
    answer.audited = true
  end
  return stamped(answer)
end
`;
