/** The pure parts of seating bots and of an operator's forms. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { leaveWords } from "../../services/lobby/casino_lobby/web/commands.js";
import { PRESET_OPTIONS, rulesOf } from "../../services/lobby/casino_lobby/web/create.js";
import { inWords, plainLabel } from "../../services/lobby/casino_lobby/web/forms.js";
import { cardsIn, nextStep, withCard } from "../../services/lobby/casino_lobby/web/seating.js";
import { tablesLine } from "../../services/lobby/casino_lobby/web/table_agents.js";

const LABELS = new Map([
  ["smallBlind", "Small blind"],
  ["roomId", "Name"],
]);
const ROOM = { word: "waiting", players: 2, seats: 6, gameType: "texas-holdem" };
const card = (name) => ({ name, agentCardUrl: `http://${name}` });

test("a refusal names fields as the form does, and no limit that nobody reaches", () => {
  const words = (text) => inWords(text, LABELS);
  assert.equal(words("must be at least smallBlind, 3"), "must be at least “Small blind”, 3");
  assert.equal(
    words("There is a room g; choose another roomId."),
    "There is a room g; choose another “Name”.",
  );
  assert.equal(
    words("must be a number above 0 and at most 9007199254740991"),
    "must be a number above 0",
  );
  assert.equal(words("must be at most 3600000"), "must be at most 3,600,000");
  const foreign = "http://127.0.0.1:45000/agentCard: port 45000 is closed";
  assert.equal(words(foreign), foreign);
  assert.equal(plainLabel("Clock (ms)"), "Clock");
});

test("a room says what it needs next", () => {
  assert.deepEqual(nextStep({ ...ROOM, players: 0 }), {
    text: "Nobody sits at this table: take a free seat.",
    canSeat: true,
    canStart: false,
  });
  assert.equal(nextStep({ ...ROOM, players: 1 }).canStart, false);
  assert.equal(nextStep({ ...ROOM, players: 1, gameType: "roulette" }).canStart, true);
  assert.match(nextStep(ROOM).text, /^2 players are here\. Start, or fill the seats/);
  const full = nextStep({ ...ROOM, players: 6 });
  assert.deepEqual(
    [full.text, full.canSeat, full.canStart],
    ["6 players are here. Start.", false, true],
  );
  assert.equal(
    nextStep({ ...ROOM, word: "idle" }).text,
    "The session is over, and 2 players are here.",
  );
  for (const word of ["playing", "paused", "closed", "closing", "failed", "opening", "no table"])
    assert.equal(nextStep({ ...ROOM, word }), null, word);
});

test("cards that were used are kept, each once, the last first, and no more than a few", () => {
  const many = ["a", "b", "c", "d", "e", "f", "g"].reduce(
    (cards, name) => withCard(cards, card(name)),
    [],
  );
  assert.deepEqual(
    many.map(({ name }) => name),
    ["g", "f", "e", "d", "c", "b"],
  );
  const again = withCard(many, { ...card("c"), name: "C 2" });
  assert.deepEqual(
    again.map(({ name }) => name),
    ["C 2", "g", "f", "e", "d", "b"],
  );
  assert.deepEqual(cardsIn(JSON.stringify(many)), many);
  assert.deepEqual(withCard([], { name: "x", agentCardUrl: "javascript:alert(1)" }), []);
});

test("what another script stored is no card", () => {
  for (const text of [null, "", "{", "3", "null", '{"a":1}', '[null,3,{"name":"a"}]'])
    assert.deepEqual(cardsIn(text), [], String(text));
  assert.deepEqual(cardsIn('[{"name":"a","agentCardUrl":"javascript:0"}]'), []);
});

test("a preset changes a part of the lobby’s own rules", () => {
  const own = { startingStack: 50, maxSeats: 9, actionTimeoutMs: 700 };
  assert.deepEqual(rulesOf("own", own), own);
  for (const [key] of PRESET_OPTIONS) {
    const rules = rulesOf(key, { ...own, minBuyIn: 50, maxBuyIn: 50, smallBlind: 1, bigBlind: 2 });
    assert.equal(rules.actionTimeoutMs, 700, key);
    assert.ok(rules.minBuyIn <= rules.startingStack && rules.startingStack <= rules.maxBuyIn, key);
    assert.ok(rules.smallBlind <= rules.bigBlind, key);
  }
  assert.equal(rulesOf("heads-up", own).maxSeats, 2);
  assert.equal(rulesOf("tournament", own).rebuy, "none");
});

test("the list of tables begins with how they are", () => {
  const table = (health, roomId) => ({
    agentCardUrl: "http://t",
    source: "announced",
    health,
    roomId,
  });
  assert.match(tablesLine([]), /^No table is there yet/);
  assert.equal(tablesLine([table("ready")]), "1 table · 1 free");
  const tables = [table("ready", "main"), table("silent"), table("away", "main")];
  assert.equal(tablesLine(tables), "3 tables · 0 free · 2 not well");
});

test("who is to leave is gone, or leaves after the hand", () => {
  const here = { players: [{ playerId: "p1" }] };
  assert.equal(leaveWords("Ada", "p1", here), "Ada leaves after the running hand.");
  assert.equal(leaveWords("Ada", "p2", here), "Ada has left.");
  assert.equal(leaveWords("Ada", "p1", {}), "Ada has left.");
});
