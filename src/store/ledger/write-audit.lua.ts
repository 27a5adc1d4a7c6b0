import { appendAuditLua } from "../audit/append.lua.ts";

/**
 * writeAudit(answer): writes the texts of the audit that came with the call, if any did, and says so.
 *
 * KEYS: 7 the audit's stream, if there are texts. ARGV from 5 on: as appendAudit takes them.
 */
export const writeAuditLua = `${appendAuditLua}
local function writeAudit(answer)
  if #ARGV < 5 then return end
  appendAudit(KEYS[7], 5)
  answer.audited = true
end
`;
