/**
 * appendAudit(stream, first, lists): adds entries to a source's stream, in the step of the script that calls it.
 * Needs `now` (server-time.lua.ts).
 *
 * ARGV[first] how long entries are kept, ms; then bytes that are kept; then texts to the end of ARGV. In a text
 * each of the characters 1 and 2 stands for the list (JSON) that `lists` has under it. The stream's entries have the
 * fields e text, c bytes of all texts that were ever written before it. `<stream>:bytes` counts them too, because
 * reading the last entry copies its text. If that count is lost, it is made again from the last entry.
 * Effects: older entries are trimmed by whole nodes of the stream. Each time a 64th of the kept bytes was written, the
 * oldest go until the texts are no larger. Run twice: the entries are there twice.
 */
export const appendAuditLua = `
local function appendAudit(stream, first, lists)
  local keep, maxBytes = tonumber(ARGV[first]), tonumber(ARGV[first + 1])
  local oldest = string.format('%.0f', math.max(0, now - keep))

  local function field(entry, name)
    for i = 1, #entry[2], 2 do
      if entry[2][i] == name then return entry[2][i + 1] end
    end
  end

  local written, added, texts = stream .. ':bytes', 0, {}
  for i = first + 2, #ARGV do
    local text = string.gsub(ARGV[i], '[\\1\\2]', lists)
    texts[#texts + 1] = text
    added = added + #text
  end
  local before = redis.call('INCRBY', written, added) - added
  if before == 0 then
    local last = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
    if last then
      before = tonumber(field(last, 'c')) + #field(last, 'e')
      redis.call('INCRBY', written, string.format('%.0f', before))
    end
  end

  local total = before
  for _, text in ipairs(texts) do
    redis.call('XADD', stream, 'MINID', '~', oldest, '*', 'e', text, 'c', string.format('%.0f', total))
    total = total + #text
  end

  local function isTooLarge()
    local oldestKept = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
    return total - tonumber(field(oldestKept, 'c')) > maxBytes
  end

  local step = maxBytes / 64
  if math.floor(before / step) ~= math.floor(total / step) then
    for _ = 1, 64 do
      if not isTooLarge() then break end
      local most = math.floor(redis.call('XLEN', stream) * 63 / 64) - 100
      if redis.call('XTRIM', stream, 'MAXLEN', '~', math.max(1, most)) == 0 then break end
    end
  end
  redis.call('PEXPIRE', stream, keep)
  redis.call('PEXPIRE', written, keep)
end
`;
