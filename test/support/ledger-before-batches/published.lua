evenWhenFull()

-- A come-back names its parent. The first one is stored, so that a second run answers the same.
local function name(fact, e)
  if not fact.namedBy then return nil end
  if not e.cb then
    e.cb = fact.namedBy
    put(fact.dlqId, e)
  end
  return e.cb == fact.namedBy or nil
end

local function record(fact)
  local e = read(fact.dlqId)
  if e and e.s == 'other-version' then return { kind = e.s } end
  if e and e.s == 'gone' then return { kind = 'gone', as = e.as, firstNaming = name(fact, e) } end
  if e and e.s == 'published' then
    if fact.deletePending and not e.q then
      e.q = now
      put(fact.dlqId, e)
    end
    local first = name(fact, e)
    if e.as == fact.as then return { kind = 'recorded', firstNaming = first } end
    return { kind = 'already', as = e.as, firstNaming = first }
  end
  local p = { s = 'published', as = fact.as, at = now, d = fact.drain, m = fact.messageId, n = fact.attempt, da = fact.datesAgree and 1 or nil }
  if e then
    p.d = p.d or e.d
    p.m = p.m or e.m
    p.q = e.q
    p.df = e.df
    p.mg = e.mg
    p.w = e.w
    -- Evidence settles what was in doubt: it may be listed still.
    if e.s == 'open' then p.q = p.q or now end
  end
  if fact.deletePending then
    p.q = p.q or now
    recordAcceptance()
  end
  p.cb = fact.namedBy
  put(fact.dlqId, p)
  return { kind = 'recorded', firstNaming = p.cb and true or nil }
end

local verdicts = {}
for i, fact in ipairs(call.facts) do verdicts[i] = record(fact) end
return stamped(withSourceFacts({ verdicts = verdicts }))
