import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { lineageHeaderName, rootIdHeaderName } from "../../src/job/message/headers.ts";
import { readDoc } from "../support/markdown.ts";
import { isHere } from "../support/tools.ts";

const page = readDoc("docs/receivers.md");

function blockOf(language: string): string {
  const block = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page)?.[1];
  if (block === undefined) throw new Error(`docs/receivers.md has no ${language}`);
  return block;
}

/** Three deliveries of one message, the second fails in the middle of its work, and one of another. */
const deliveries = [
  { root: null, id: "msg_1", fails: true },
  { root: "msg_1", id: "msg_2", fails: false },
  { root: "msg_1", id: "msg_3", fails: false },
  { root: null, id: "msg_4", fails: false },
];
const expected = ["failed", "done", "done before", "done", "work 2"];

function run(
  command: string,
  args: readonly string[],
): { readonly out: readonly string[]; readonly err: string } {
  const ran = spawnSync(command, args, { input: JSON.stringify(deliveries), encoding: "utf8" });
  return { out: ran.stdout.trim().split("\n"), err: ran.stderr };
}

it("names both headers as redriver writes them", () => {
  expect(page).toContain(`| \`${rootIdHeaderName}\` |`);
  expect(page).toContain(`| \`${lineageHeaderName}\` |`);
});

describe("each example does the work of a message once, whatever fails", () => {
  it("in JavaScript", async () => {
    const url = `data:text/javascript,${encodeURIComponent(blockOf("js"))}`;
    const { once } = (await import(/* @vite-ignore */ url)) as {
      once: (headers: object, db: object, work: () => void) => Promise<string>;
    };
    let rows = new Set<string>();
    let works = 0;
    const db = {
      async transaction(body: () => Promise<string>): Promise<string> {
        const before = new Set(rows);
        try {
          return await body();
        } catch (error) {
          rows = before;
          throw error;
        }
      },
      insert(key: string): number {
        const isNew = !rows.has(key);
        rows.add(key);
        return isNew ? 1 : 0;
      },
    };
    const out: string[] = [];
    for (const { root, id, fails } of deliveries) {
      const headers = { "upstash-message-id": id, ...(root && { "x-redriver-message-id": root }) };
      const work = (): void => {
        if (fails) throw new Error("fails");
        works += 1;
      };
      out.push(await once(headers, db, work).catch(() => "failed"));
    }
    expect([...out, `work ${works}`]).toEqual(expected);
  });

  it.skipIf(!isHere("python3"))("in Python", () => {
    const program = `${blockOf("python")}
import json, sqlite3, sys
db = sqlite3.connect(":memory:")
db.execute("""${blockOf("sql")}""")
works = 0
for one in json.load(sys.stdin):
    headers = {"Upstash-Message-Id": one["id"], **({"X-Redriver-Message-Id": one["root"]} if one["root"] else {})}
    def work(db):
        global works
        if one["fails"]: raise ValueError()
        works += 1
    try: print(once(headers, db, work))
    except ValueError: print("failed")
print("work", works)
`;
    expect(run("python3", ["-c", program])).toEqual({ out: expected, err: "" });
  });

  // PDO is an interface to databases, and PHP may come without one: the example gets one of three lines.
  it.skipIf(!isHere("php"))("in PHP", () => {
    const program = `${blockOf("php")}
class Rows extends PDO {
  public array $rows = []; private array $before = [];
  function __construct() {}
  function beginTransaction(): bool { $this->before = $this->rows; return true; }
  function commit(): bool { return true; }
  function rollBack(): bool { $this->rows = $this->before; return true; }
  function prepare(string $query, array $options = []): PDOStatement|false { return new Insert($this); }
}
class Insert extends PDOStatement {
  private int $count = 0;
  function __construct(private Rows $db) {}
  function execute(?array $params = null): bool {
    $this->count = isset($this->db->rows[$params[0]]) ? 0 : 1;
    $this->db->rows[$params[0]] = true;
    return true;
  }
  function rowCount(): int { return $this->count; }
}
$db = new Rows(); $works = 0;
foreach (json_decode(stream_get_contents(STDIN), true) as $one) {
  $server = ['HTTP_UPSTASH_MESSAGE_ID' => $one['id']] + ($one['root'] ? ['HTTP_X_REDRIVER_MESSAGE_ID' => $one['root']] : []);
  try {
    echo once($server, $db, function ($db) use ($one, &$works) {
      if ($one['fails']) { throw new Exception('fails'); }
      $works += 1;
    }), "\\n";
  } catch (Exception $error) { echo "failed\\n"; }
}
echo "work $works\\n";
`;
    expect(run("php", ["-r", program])).toEqual({ out: expected, err: "" });
  });
});
