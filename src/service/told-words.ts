/**
 * The words in which a service says what is wrong. Only these are repeated: any other word of an error may be a part of a message,
 * a header value or a secret that it gives back.
 */
const words: ReadonlySet<string> = new Set(
  `
a above absent accept accepted access account action active actual add after again against all allow allowed already also an and
another any api application are argument array as ask at attempt attempts auth authentication authorization authorisation
available backend bad balance base be bearer because been before below between binary blocked body boolean both bucket burst but by
byte bytes call callback callbacks called calls can cannot cancel cancelled canceled certificate change char character characters
charset check client closed code come conflict connect connection contain contained contains content control correct could count create
created credentials cursor daily data database date day days dead deadline decode dedup deduplicated deduplication default delay
delays delete deleted deliver delivered delivery denied deny destination destinations did different disabled dlq do does domain down
due duplicate duration each either element elements email empty enabled encode encoding end endpoint endpoints enough enqueue entity entry
error errors event every exceed exceeded exceeds exist existing exists expected expired expires expression fail failed failure field
fields file filter first flow for forbidden form format forward found from full function gateway gb get given go gone got
group groups had has have header headers here host hour hours html http https id identifier ids if implemented in inactive incorrect
input instead int integer internal interrupted into invalid ip is it item items its job json just kb key keys kind known label labels
large last later least length less level letter limit limited limits line list listed long longer lookup lost maintenance malformed
many match matches max maximum may mb memory message messages method min minimum minute minutes missing mode month more most must
name names need needed negative network new no non none not nothing null number numbers object of off ok old on once one only
operation option or order origin other out outside over overloaded page parallelism param parameter parameters parse parsed part passed
path payload payment per period permanent permission permitted plan please post prefix present problem property provide provided proxy
publish published put quantity query queue queues quota range rate rates reached read reason received record records redirect refused
region reject rejected remove removed request requests require required requires reset resource response result retries retry
route rule run schedule schedules schema scheme second seconds send sent server service session set should shutdown signature since single
size sizes slow small so some space start state status stop stopped store string such support supported syntax system take team than that the
their them then there these they this those throttled time timed timeout times to token tokens too topic topics total traffic try
two type types unable unacceptable unauthorised unauthorized unavailable under unexpected unique unit unknown unprocessable unreachable unsupported until
up update upgrade upstream uri url urls usage use used user utf valid value values version was wait way we were when where which while
who with within without word workflow wrong year yet you your zero

abort aborted acquire acquiring address assertion broken broker busy caused closing cluster column commit concurrency
concurrent consensus contact context crash crashed deadlock degraded dereference deserialize dial dns eof exception exhausted fatal
handle handled handler handshake happened healthy heap incident io kafka killed leader lease lock locked marshal modification
moment nil node nodes occurred overflow panic partition peer permanently pipe pointer pool postgres process processing quorum
recover recovery redis replica replicas resolve resolved resolving resources restart restarting retrying rollback runtime saturated
serialize shard shortly shutting socket something soon sorry sql ssl stack starting storage table tcp temporarily temporary tls
transaction trying unhealthy unmarshal went write writing written
`
    .trim()
    .split(/\s+/),
);

const longestNumber = 5;

/** The text with everything but such words, short numbers and punctuation taken out; what was marked before stays marked. */
export function inToldWords(text: string): string {
  const told = text.split(" ").map((word) => (isMark(word) || isTold(word) ? word : "…"));
  return told.filter((word, index) => word !== "…" || told[index - 1] !== "…").join(" ");
}

function isMark(word: string): boolean {
  return /^(?:\[removed\]|"…")[.,:;!?)]*$/.test(word);
}

/** `maxMessageSize`, `rate-limit` and `v2/dlq` are several words. */
function isTold(word: string): boolean {
  const bare = /^['(]*([A-Za-z0-9](?:[A-Za-z0-9\-_/.]*[A-Za-z0-9])?)[').,:;!?]*$/.exec(word)?.[1];
  if (bare === undefined) return /^[-:,.;!?'()+=<>/]{1,4}$/.test(word);
  return bare
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .split(/[-_/. ]/)
    .every((part) => (/^\d+$/.test(part) ? part.length <= longestNumber : words.has(part.toLowerCase())));
}
