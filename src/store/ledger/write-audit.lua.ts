import { appendAuditLua } from "../audit/append.lua.ts";

/**
 * writeAudit(answer): writes the texts of the audit that came with the call, if any did, and says so. The
 * entries are written before.
 *
 * KEYS: 10 the audit's stream, if there are texts. ARGV from 9 on, behind three lists: as appendAudit takes
 * them.
 */
export const writeAuditLua = `${appendAuditLua}
local function writeAudit(answer)
  if #ARGV < 9 then return end
  flush()
  appendAudit(KEYS[10], 9)
  answer.audited = true
end
`;
