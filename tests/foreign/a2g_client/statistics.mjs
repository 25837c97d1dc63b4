// What happened, counted; printed as one JSON line at the end.

const KEPT = 10;

export class Statistics {
  rounds = {};
  received = {};
  submitted = 0;
  resent = 0;
  defaults = 0;
  validated = { state: 0, action: 0, result: 0 };
  violations = [];
  gameErrors = {};
  errors = {};
  errorMessages = [];
  duplicates = 0;
  gaps = 0;
  reconnects = 0;
  missed = 0;
  versions = {};
  refusals = [];

  count(kind, name) {
    this[kind][name] = (this[kind][name] ?? 0) + 1;
  }

  keep(kind, text) {
    if (this[kind].length < KEPT) this[kind].push(text);
  }

  /** Note whether a payload is as its schema says. */
  check(name, specification, type, payload) {
    const faults = specification.faults(name, payload);
    this.validated[name] += 1;
    if (faults !== "") {
      this.keep("violations", `${specification.gameType} ${type}: ${faults}`);
    }
  }
}
