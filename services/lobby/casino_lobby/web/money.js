/** Numbers as people read them: chips, changes of stacks, shares. */
// @ts-check

const PLAIN = new Intl.NumberFormat("en", { maximumFractionDigits: 6 });
const SIGNED = new Intl.NumberFormat("en", { maximumFractionDigits: 6, signDisplay: "exceptZero" });
const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/**
 * Return an amount of chips in full: 1,234.5.
 * @param {number} amount
 */
export function chips(amount) {
  return PLAIN.format(amount);
}

/**
 * Return a change of a stack with its sign: +12.
 * @param {number} amount
 */
export function change(amount) {
  return SIGNED.format(amount);
}

/**
 * Return an amount of chips in short, for axes and small boards: 12.3K.
 * @param {number} amount
 */
export function short(amount) {
  return Math.abs(amount) < 10_000 ? PLAIN.format(amount) : SHORT.format(amount);
}

/**
 * Return a share of 1 in percent: 25 %.
 * @param {number} share
 */
export function percent(share) {
  return `${Math.round(share * 100)} %`;
}
