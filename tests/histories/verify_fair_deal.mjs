// Verifies a fair deal offline, from public data alone:  node verify_fair_deal.mjs FILE
// FILE is {"events": [...]} of a room, or the proof of one hand {"commitment", "contributed", "events"}.
import { createHash, createHmac, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
const T = 'a2a-casino/fair/v1/';
const H = (...parts) => createHash('sha256').update(join(...parts)).digest();
const join = (...parts) => Buffer.concat(parts.map((p) => Buffer.from(p)));
const u16 = (n) => { const b = Buffer.alloc(2); b.writeUInt16BE(n); return b; };
const u64 = (n) => { const b = Buffer.alloc(8); b.writeBigUInt64BE(BigInt(n)); return b; };
const B = (key, use, i) => createHmac('sha256', key).update(join(T, use, u64(i))).digest();
const same = (a, b) => canonical(a) === canonical(b);
class Unfair extends Error {}
const need = (ok, sentence) => { if (!ok) throw new Unfair(sentence); };

// Bytes in JSON: base64url without padding, of a fixed size (or a multiple of `unit`).
function bytes(text, what, size, unit) {
  need(typeof text === 'string', `${what} is not there`);
  const b = Buffer.from(text, 'base64url');
  need(b.toString('base64url') === text && (unit ? b.length % unit === 0 : b.length === size), `${what} has the wrong form`);
  return b;
}
const cut = (b, size) => Array.from({ length: b.length / size }, (_, i) => b.subarray(i * size, (i + 1) * size));
// RFC 8785: keys sorted by UTF-16 units, numbers and strings as ECMAScript writes them.
function canonical(x) {
  if (Array.isArray(x)) return `[${x.map(canonical)}]`;
  if (x === null || typeof x !== 'object') return JSON.stringify(x) ?? 'null';
  const keys = Object.keys(x).filter((k) => x[k] !== undefined).sort();
  return `{${keys.map((k) => `${JSON.stringify(k)}:${canonical(x[k])}`)}}`;
}
function shuffled(key, use, n) {
  const out = Array.from({ length: n }, (_, i) => i);
  const size = n > 256 ? 4 : 1, range = 256 ** size;
  let stream = Buffer.alloc(0), at = 0, i = 0;
  for (let place = 0; place < n - 1;) {
    if (at === stream.length) { stream = B(key, use, i++); at = 0; } // 32 bytes: a multiple of 4
    const k = n - place, b = stream.readUIntBE(at, size), other = place + (b % k);
    at += size;
    if (b >= range - (range % k)) continue;
    [out[place], out[other]] = [out[other], out[place]];
    place++;
  }
  return out;
}

const context = (c, hand, deck) => join(H(T, 'block/', c.block).subarray(0, 16), u64(hand), deck);
const leafHash = (ctx, i, numbers, salt) => H('leaf', ctx, u16(i), ...numbers.map(u16), salt);
const saltOf = (D, i) => H('salt', D, u16(i >> 1)).subarray(16 * (i % 2), 16 * (i % 2) + 16);
function rootOfSecret(c, hand, deck, D) {
  const ctx = context(c, hand, deck);
  if (!c.leaves.length) return H('whole', ctx, D); // nothing is closed
  const order = shuffled(D, 'order', c.cards); // a shuffle: all numbers are different
  let at = 0;
  return H('deck', ...c.leaves.map((n, i) => leafHash(ctx, i, order.slice(at, (at += n)), saltOf(D, i))));
}
// Checks the opened leaves; returns the root and the opened numbers by leaf.
function rootOfLeaves(c, hand, deck, o) {
  const ctx = context(c, hand, deck), opened = new Map();
  need(o.leaves.every((i, k) => Number.isInteger(i) && i >= 0 && i < c.leaves.length && (!k || i > o.leaves[k - 1])),
    'the opened leaves are not ascending leaves of the deck');
  need(o.numbers.every((x) => Number.isInteger(x) && x >= 0 && x < c.cards), 'an opened number is not in the deck');
  need(new Set(o.numbers).size === o.numbers.length, 'a card is opened twice');
  const salts = cut(bytes(o.salts, 'salts', 0, 16), 16), closed = cut(bytes(o.closed, 'closed', 0, 32), 32);
  need(salts.length === o.leaves.length && closed.length + salts.length === c.leaves.length, 'salts or closed leaves are missing');
  let at = 0;
  for (const i of o.leaves) opened.set(i, o.numbers.slice(at, (at += c.leaves[i])));
  need(at === o.numbers.length, 'the opened leaves have another number of cards');
  const hashes = c.leaves.map((_, i) => opened.has(i) ? leafHash(ctx, i, opened.get(i), salts.shift()) : closed.shift());
  return { root: H('deck', ...hashes), opened };
}

function checkCommitment(c) {
  need(c.protocol === T.slice(0, -1), 'the commitment is of another protocol');
  need([c.firstHand, c.cards].every(Number.isInteger) && [c.leaves, c.seats, c.commitments].every(Array.isArray), 'the commitment is not complete');
  need(c.leaves.every((n) => n > 0) && c.leaves.reduce((a, b) => a + b, 0) <= c.cards, 'the leaves are not of the deck');
  const roots = cut(bytes(c.roots, 'roots', 0, 32), 32);
  c.commitments.forEach((x) => bytes(x.commitment, 'a commitment', 32));
  const { signature, ...unsigned } = c, root = H(canonical(unsigned));
  need(!c.key === !signature, 'there is a key without a signature, or a signature without a key');
  if (c.key) {
    const key = { key: createPublicKey({ key: c.key, format: 'jwk' }), dsaEncoding: 'ieee-p1363' };
    need(verify('sha256', root, key, bytes(signature, 'signature', 64)), 'the signature of the block is wrong');
  }
  const places = c.commitments.map((x) => [undefined, ...c.seats].indexOf(x.playerId)); // the lobby is first
  need(places.every((p, k) => p >= 0 && (!k || p > places[k - 1])), 'the commitments are not those of the lobby and then of seats in order');
  if (c.gameType === 'texas-holdem') need(c.cards === 52 && same(c.leaves, [...c.seats.map(() => 2), 3, 1, 1]),
    'the block has not the leaves of Hold\'em');
  const [, name, epoch, number] = /^(.*)\/(\d+)\/(\d+)$/.exec(c.block) ?? [];
  need(name !== undefined, 'the block has no proper name');
  return { c, root, roots, name, epoch: +epoch, number: +number, next: c.firstHand };
}
// Returns E, or null if one is missing: then no hand of the block may be dealt.
function entropyOf({ c, root }, contributed) {
  need(contributed.block === c.block, 'the contributions are for another block');
  const given = contributed.contributions ?? [], ids = given.map((x) => x.playerId ?? ''); // '' is the lobby
  need(new Set(ids).size === ids.length, 'one contributed twice');
  const inOrder = c.commitments.flatMap((x) => given.filter((g) => g.playerId === x.playerId));
  need(inOrder.length === given.length, 'one contributed without a commitment');
  const parts = inOrder.map((g) => bytes(g.entropy, 'entropy', 32));
  inOrder.forEach((g, i) => need(c.commitments.some((x) => x.playerId === g.playerId && x.commitment === H(parts[i]).toString('base64url')),
    `the entropy of ${g.playerId ?? 'the lobby'} is not what it committed to`));
  return parts.length < c.commitments.length || contributed.missing?.length ? null : H(T, 'entropy/', root, ...parts);
}
// A new block in an epoch needs one of the reasons of the document: else the table could draw again at will.
function checkNewBlock(old, c) {
  const missing = old.c.commitments.filter((x) => !old.given?.some((g) => g.playerId === x.playerId));
  need(!old.given || !c.commitments.some((x) => missing.some((m) => m.playerId === x.playerId)), 'one who was missing is in the next block');
  need(!old.E || old.next === old.c.firstHand + old.roots.length || c.seats.some((s) => !old.c.seats.includes(s))
    || c.gameType !== old.c.gameType || c.cards !== old.c.cards, `block ${c.block} began without a reason`);
  need(c.firstHand >= old.next, `block ${c.block} begins with a hand that was dealt`);
  need(same(old.c.key, c.key), 'the key of the table changed in an epoch');
}

const card = (x) => '23456789TJQKA'[x >> 2] + 'cdhs'[x & 3];
const named = (cards) => (cards ?? []).map((x) => x.rank + x.suit[0]).join(' ');
function checkHoldem(c, start, streets, done, opened, v) {
  const cardsOf = (leaves) => leaves.flatMap((i) => opened.get(i) ?? []).map((x) => card(v[x])).join(' ');
  const board = done.communityCards ?? [], streetLeaves = [0, 3, 4, 5].indexOf(board.length);
  need(streetLeaves >= 0, 'the board has a wrong number of cards');
  for (const s of streets) need(same(s, board.slice(0, s.length)), 'a street is not that of the final board');
  const boardLeaves = [0, 1, 2].map((k) => c.leaves.length - 3 + k).slice(0, streetLeaves);
  need(cardsOf(boardLeaves) === named(board), `the board is ${named(board)}, but its leaves are ${cardsOf(boardLeaves) || 'closed'}`);
  const late = (p) => p.seatNumber <= start.buttonSeat; // seats up to the button come last
  const order = [...start.players].sort((p, q) => late(p) - late(q) || p.seatNumber - q.seatNumber).map((p) => p.playerId);
  const allowed = new Set(boardLeaves);
  for (const s of done.shown ?? []) {
    const leaf = order.indexOf(s.playerId);
    need(leaf >= 0 && !allowed.has(leaf), `${s.playerId} showed cards twice or was not dealt in`);
    need(cardsOf([leaf]) === named(s.cards), `${s.playerId} showed ${named(s.cards)}, but the leaf is ${cardsOf([leaf]) || 'closed'}`);
    allowed.add(leaf);
  }
  for (const i of opened.keys()) need(allowed.has(i), `leaf ${i} was opened and not shown`);
}
function checkHand(b, start, streets, done) {
  const { c } = b, o = done.opening, hand = done.handNumber;
  need(o?.block === c.block, 'there is no opening, or one of another block');
  const K = B(b.E, 'hand', hand), played = K[0] & 1 ? 'B' : 'A', other = played === 'A' ? 'B' : 'A';
  const audit = rootOfSecret(c, hand, other, bytes(o.audit, 'audit', 32));
  need(['secret', 'leaves', 'root'].filter((k) => o[k] !== undefined).length === 1, 'the opening is not one of secret, leaves and root');
  let root, opened = new Map();
  need(c.leaves.length ? o.secret === undefined : !o.leaves && (o.secret !== undefined) === (c.cards > 0),
    'the deck was not opened as its game is'); // whole only without leaves, and then always
  if (o.secret !== undefined) root = rootOfSecret(c, hand, played, bytes(o.secret, 'secret', 32));
  else if (o.leaves !== undefined) ({ root, opened } = rootOfLeaves(c, hand, played, o));
  else root = bytes(o.root, 'root', 32);
  const roots = played === 'A' ? [root, audit] : [audit, root];
  need(H('hand', ...roots).equals(b.roots[hand - c.firstHand]), 'the decks are not those the table committed to');
  if (c.gameType === 'texas-holdem') checkHoldem(c, start, streets, done, opened, shuffled(K, 'values', c.cards));
}

// ---- all events in order
function run(data, state) {
  const single = data.commitment !== undefined, tables = Object.create(null);
  const status = (kind, rest) => ({ eventType: 'table_status', payload: { kind, ...rest } }), { commitment, contributed } = data;
  const head = [status('deal_committed', { commitment }), status('deal_contributed', { contributed })];
  for (const e of [...(single ? head : []), ...(data.events ?? [])]) {
    const id = single ? '' : e.tableId ?? '', p = e.payload ?? {};
    const t = (tables[id] ??= { last: 0 }), b = t.block;
    state.hand = p.handNumber ?? p.commitment?.firstHand ?? t.start?.handNumber ?? b?.next ?? '?';
    const kind = e.eventType === 'table_status' ? p.kind : e.eventType;
    if (kind === 'deal_committed') {
      const now = checkCommitment(p.commitment);
      need((e.tableId ?? now.name) === now.name && (e.epoch ?? now.epoch) === now.epoch, 'the block is of another table or epoch');
      need(!t.start || now.epoch > b.epoch, 'a block was committed to within a hand');
      if (b) need(now.epoch === b.epoch ? now.number === b.number + 1 : now.epoch > b.epoch, 'numbers of blocks do not rise by one');
      if (b?.epoch === now.epoch) checkNewBlock(b, now.c);
      Object.assign(t, { block: now, start: null, streets: null });
    } else if (kind === 'deal_contributed') {
      need(b && !b.given, 'contributions came before a commitment, or again');
      Object.assign(b, { E: entropyOf(b, p.contributed ?? {}), given: p.contributed?.contributions ?? [] });
    } else if (kind === 'street_dealt') {
      t.streets?.push(p.communityCards ?? []);
    } else if (kind === 'hand_started' && (b || p.handNumber !== undefined)) {
      need(p.handNumber > t.last, 'its number was dealt before');
      t.last = p.handNumber;
      if (!b) continue; // no fair deal so far
      need(!t.start, `it began, but hand ${t.start?.handNumber} was not completed`);
      need(b.E, 'it began without the contributions of all');
      need(b.roots[p.handNumber - b.c.firstHand], 'it is not of the block');
      need(single || p.handNumber === b.next, 'a hand of the block was left out');
      need((p.players ?? []).every((x) => b.c.seats.includes(x.playerId)), 'a player was not there when the block began');
      Object.assign(t, { start: p, streets: [] });
      b.next = p.handNumber + 1;
    } else if (kind === 'hand_completed' && (b || p.opening)) {
      need(b && t.start?.handNumber === p.handNumber, 'it was completed, but did not begin');
      checkHand(b, t.start, t.streets, p);
      Object.assign(t, { start: null, streets: null });
      state.count++;
    }
  }
  if (single) need(state.count === 1 && tables[''].last === (data.handNumber ?? tables[''].last), 'the proof is not of this one hand');
}

const state = { count: 0, hand: '?' };
try {
  run(JSON.parse(readFileSync(process.argv[2], 'utf8')), state);
  console.log(`fair: ${state.count}`);
} catch (error) {
  console.log(`UNFAIR: hand ${state.hand}: ${error instanceof Unfair ? '' : 'the data cannot be read: '}${error.message}.`);
  process.exitCode = 1;
}
