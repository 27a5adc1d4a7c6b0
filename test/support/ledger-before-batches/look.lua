local function recordListed(id, e)
  if e.s == 'published' or e.s == 'archived' then
    e.w = now
    put(id, e)
  elseif e.s == 'open' or e.s == 'parked' or e.rel then
    redis.call('PEXPIRE', prefix .. id, limits.retention)
    if e.s == 'parked' then indexParked(id) end
  elseif e.s == 'gone' then
    redis.call('PEXPIRE', prefix .. id, limits.tombstone)
  end
end

local answer = { false }
for i, id in ipairs(call.dlqIds) do
  local e = read(id)
  if e and call.areListed then recordListed(id, e) end
  answer[i + 1] = e and cjson.encode(e) or false
end
wrote = false
answer[1] = stamped({})
return answer
