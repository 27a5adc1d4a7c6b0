/**
 * appendAudit(stream, first): adds entries to a source's stream, in the step of the script that calls it. Needs
 * `now` (server-time.lua.ts).
 *
 * ARGV[first] how long entries are kept, ms; then bytes that are kept; then texts to the end of ARGV. The
 * stream's entries have the fields e text, c bytes of all texts that were ever written before it.
 * Effects: older entries are trimmed by whole nodes of the stream. While the texts are larger than the kept
 * bytes, at least twice as many of the oldest go as are added. The stream vanishes after the time to keep
 * without a write.
 * Run twice: the entries are there twice.
 */
export const appendAuditLua = `
local function appendAudit(stream, first)
  local keep, maxBytes = tonumber(ARGV[first]), tonumber(ARGV[first + 1])
  local oldest = string.format('%.0f', math.max(0, now - keep))

  local function field(entry, name)
    for i = 1, #entry[2], 2 do
      if entry[2][i] == name then return entry[2][i + 1] end
    end
  end

  local total = 0
  local last = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
  if last then total = tonumber(field(last, 'c')) + #field(last, 'e') end
  for i = first + 2, #ARGV do
    redis.call('XADD', stream, 'MINID', '~', oldest, '*', 'e', ARGV[i], 'c', string.format('%.0f', total))
    total = total + #ARGV[i]
  end
  local oldestKept = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
  if total - tonumber(field(oldestKept, 'c')) > maxBytes then
    local added = #ARGV - first - 1
    redis.call('XTRIM', stream, 'MAXLEN', '~', math.max(1, redis.call('XLEN', stream) - 100 - 2 * added))
  end
  redis.call('PEXPIRE', stream, keep)
end
`;
