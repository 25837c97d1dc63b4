/** Chips as people read them, in the room's own numbers. */

const PLAIN = new Intl.NumberFormat("en", { maximumFractionDigits: 6 });
const SIGNED = new Intl.NumberFormat("en", { maximumFractionDigits: 6, signDisplay: "exceptZero" });
const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export function chips(amount) {
  return PLAIN.format(amount);
}

export function change(amount) {
  return SIGNED.format(amount);
}

/** Short, for axes and small boards: 12.3K. */
export function short(amount) {
  return Math.abs(amount) < 10_000 ? PLAIN.format(amount) : SHORT.format(amount);
}

export function percent(share) {
  return `${Math.round(share * 100)} %`;
}
