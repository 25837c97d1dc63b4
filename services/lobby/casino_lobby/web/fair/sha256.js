/**
 * SHA-256, HMAC and base64url, each at once: browsers offer their own only over HTTPS, only as
 * promises, and a hundred hands need thousands of hashes.
 */
// @ts-check

const UTF8 = new TextEncoder();
const BLOCK = 64;

/** The first 64 primes, of whose roots the constants are made. */
const PRIMES = [2, 3];
for (let number = 5; PRIMES.length < 64; number += 2)
  if (PRIMES.every((prime) => number % prime > 0)) PRIMES.push(number);
/** @type {(root: number) => number} The first 32 bits of its fraction. */
const fraction = (root) => (root % 1) * 2 ** 32;
const STEPS = Int32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)));
const START = Int32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
const [words, state] = [new Int32Array(64), new Int32Array(8)];

/** @typedef {(Uint8Array | string)[]} Parts Bytes, and texts as UTF-8. */

/**
 * Return the bytes of all parts, one after the other, with zeros behind them.
 * @param {Parts} parts
 * @param {(length: number) => number} [sizeFor] Returns how many bytes there are in all.
 */
function written(parts, sizeFor = (length) => length) {
  const contents = parts.map((part) => (typeof part === "string" ? UTF8.encode(part) : part));
  let length = 0;
  for (const content of contents) length += content.length;
  const bytes = new Uint8Array(sizeFor(length));
  let end = 0;
  for (const content of contents) {
    bytes.set(content, end);
    end += content.length;
  }
  return { bytes, length };
}

/**
 * Return bytes and texts, one after the other.
 * @param {...(Uint8Array | string)} parts
 */
export function joined(...parts) {
  return written(parts).bytes;
}

/**
 * Return a whole number below 2^53 as so many bytes, big-endian.
 * @param {number} value
 * @param {number} size
 */
export function whole(value, size) {
  const bytes = new Uint8Array(size);
  for (let place = size - 1, rest = value; rest > 0; place -= 1, rest = Math.floor(rest / 256))
    bytes[place] = rest % 256;
  return bytes;
}

/**
 * Return the SHA-256 of bytes and texts, one after the other.
 * @param {...(Uint8Array | string)} parts
 */
export function sha256(...parts) {
  const { bytes, length } = written(parts, (size) => ((size + 72) >> 6) << 6);
  bytes[length] = 0x80;
  const view = new DataView(bytes.buffer);
  view.setUint32(bytes.length - 4, length * 8);
  state.set(START);
  for (let start = 0; start < bytes.length; start += BLOCK) mix(view, start);
  const hash = new DataView(new ArrayBuffer(32));
  for (let index = 0; index < 8; index += 1) hash.setInt32(4 * index, word(state, index));
  return new Uint8Array(hash.buffer);
}

/**
 * @param {Int32Array} of
 * @param {number} index
 */
function word(of, index) {
  return of[index] ?? 0;
}

/**
 * Mix a block of 64 bytes into the state.
 * @param {DataView} view
 * @param {number} start
 */
function mix(view, start) {
  for (let index = 0; index < 16; index += 1) words[index] = view.getInt32(start + 4 * index);
  for (let index = 16; index < 64; index += 1) {
    const [early, late] = [word(words, index - 15), word(words, index - 2)];
    const first = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
    const second = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    words[index] = word(words, index - 16) + first + word(words, index - 7) + second;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let index = 0; index < 64; index += 1) {
    const choice = (e & f) ^ (~e & g);
    const mixed = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const one = (h + mixed + choice + word(STEPS, index) + word(words, index)) | 0;
    const most = (a & b) ^ (a & c) ^ (b & c);
    const other = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + most;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + other) | 0;
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries())
    state[index] = word(state, index) + value;
}

/**
 * @param {number} word
 * @param {number} bits
 */
function turned(word, bits) {
  return (word >>> bits) | (word << (32 - bits));
}

/**
 * Return the HMAC-SHA256 of a message.
 * @param {Uint8Array} key At most 64 bytes.
 * @param {Uint8Array} message
 */
export function hmac(key, message) {
  const [inner, outer] = [new Uint8Array(BLOCK).fill(0x36), new Uint8Array(BLOCK).fill(0x5c)];
  for (const [place, byte] of key.entries()) {
    inner[place] = byte ^ 0x36;
    outer[place] = byte ^ 0x5c;
  }
  return sha256(outer, sha256(inner, message));
}

/**
 * Return bytes as base64url without padding.
 * @param {Uint8Array} content
 */
export function toText(content) {
  const plain = btoa(String.fromCharCode(...content));
  return plain.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * Return the bytes of base64url without padding; null for any other text.
 * @param {unknown} text
 */
export function ofText(text) {
  if (typeof text !== "string" || !/^[\w-]*$/.test(text) || text.length % 4 === 1) return null;
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (character) => character.charCodeAt(0));
}
