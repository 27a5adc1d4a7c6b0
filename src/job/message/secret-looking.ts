/** Nothing tells a key from a name for certain, so a long text that is not made of words could be one. */

/** The caller decides about shorter texts: 16 base64 characters are 96 bits, the minimum of real keys. */
const minCharacters = 16;
const maxName = 60;
const maxWord = 24;

/** Also true for a UUID or a hash. Almost never false for a key drawn at random. */
export function looksSecret(text: string): boolean {
  if (text.length < minCharacters) return false;
  const isMixed = /\p{Lu}/u.test(text) && /\p{Ll}/u.test(text) && /\p{Nd}/u.test(text);
  if (isMixed && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return true;
  return !isReadable(text);
}

/** All parts between signs are words, numbers, or short words with a number behind them (`v2`, `sha256`). */
export function isReadable(text: string): boolean {
  let start = 0;
  for (const { index, 0: signs } of text.matchAll(/[^\p{L}\p{M}\p{Nd}]+/gu)) {
    if (!isReadableSegment(text.slice(start, index))) return false;
    start = index + signs.length;
  }
  return isReadableSegment(text.slice(start));
}

function isReadableSegment(segment: string): boolean {
  if (/^\p{Nd}*$/u.test(segment)) return true;
  const letters = segment.length < 12 ? segment.replace(/(?<=\p{L}\p{M}*)\p{Nd}{1,3}$/u, "") : segment;
  if (/\p{Nd}/u.test(letters)) return false;
  if (isOneCase(letters) || letters.length >= minCharacters || /\p{Lo}/u.test(letters))
    return isWord(letters);
  if (letters.length >= 12 && !knownWord.test(letters)) return false;
  return /^(?:\p{Ll}{2,})?(?:\p{Lu}{1,5}\p{Ll}{2,})+$/u.test(letters);
}

/** Letters of a person: short, of one case and not too long, of a script without case, or CamelCase. */
export function isWord(letters: string): boolean {
  if (letters.length < 12 || /\p{Lo}/u.test(letters)) return true;
  if (letters.length <= maxWord && isOneCase(letters)) return true;
  // Words of a name average four letters and more, with at most one acronym; a token's are shorter.
  const capitals = letters.match(/\p{Lu}+/gu) ?? [];
  const acronyms = capitals.filter((run) => run.length > 2);
  return (
    letters.length <= maxName &&
    capitals.length * 4 <= letters.length &&
    acronyms.length <= 1 &&
    /^\p{Ll}*(?:\p{Lu}+\p{Ll}+)+$/u.test(letters) &&
    (letters.length < minCharacters ||
      (capitals.join("").length * 3 <= letters.length && knownWord.test(letters)))
  );
}

function isOneCase(letters: string): boolean {
  return /^(?:\p{Lu}?[^\p{Lu}]*|\p{Lu}+)$/u.test(letters);
}

/** One in thirty random keys of letters has the shape of CamelCase; to pass, it must guess such a word. */
const knownWord = new RegExp(
  [
    "Abort|Access|Account|Action|Already|Allowed|Argument|Assertion|Async|Attribute|Authent|Authori|Backend|Batch|Bound|Breaker|Broken",
    "Cache|Callback|Cancel|Cast|Certificate|Channel|Check|Circuit|Class|Client|Closed|Command|Config|Conflict|Connect|Constraint|Content",
    "Context|Controller|Conversion|Credential|Customer|Data|Dead|Decod|Delivery|Denied|Deserial|Destination|Document|Duplicate|Encod|Entity",
    "Error|Event|Exceed|Exception|Execution|Exist|Expired|Fail|Fatal|Fault|Field|File|Forbidden|Format|Found|Function|Gateway|Handle|Handshake",
    "Hash|Header|Host|Http|Illegal|Index|Input|Integrity|Internal|Interrupt|Invalid|Invocation|Item|Json|Length|Limit|Lock|Mapping|Media",
    "Memory|Message|Method|Mismatch|Missing|Modified|Module|Network|Null|Number|Object|Operation|Order|Output|Overflow|Parameter|Pars|Path",
    "Payload|Payment|Permission|Persist|Pipe|Pointer|Pool|Process|Product|Property|Protocol|Provider|Proxy|Query|Queue|Quota|Range|Rate|Read",
    "Record|Refused|Reject|Remote|Repository|Request|Required|Reset|Resource|Response|Retr|Runtime|Schema|Security|Serial|Server|Service",
    "Session|Shutdown|Signature|Size|Socket|State|Status|Storage|Stream|String|Subscri|Supported|System|Table|Task|Template|Tenant|Thread|Throttl",
    "Timed|Timeout|Token|Transaction|Transport|Type|Unauthori|Unavailable|Unexpected|Unhandled|Unique|Unknown|Unprocessable|Unsupported|Update",
    "Upload|Upstream|User|Valid|Value|Version|Violation|Webhook|Worker|Writ",
  ].join("|"),
  "u",
);
