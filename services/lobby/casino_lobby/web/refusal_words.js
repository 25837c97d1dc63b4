/** The lobby's refusals in the words of a form: its labels in place of the API's names. */
// @ts-check

const LARGEST = "9007199254740991";

/**
 * Return a refusal's text with fields as people see them, and without limits that nobody reaches.
 * @param {string} text Such as "must be at least smallBlind, 3".
 * @param {Map<string, string>} labels Labels of fields by their names in the API.
 */
export function inWords(text, labels) {
  const sane = text
    .replace(` and at most ${LARGEST}`, "")
    .replace(`at most ${LARGEST}`, "a smaller number")
    .replace(/\b(at (?:most|least)) (\d{5,15})\b/g, (_, limit, digits) => {
      return `${limit} ${Number(digits).toLocaleString("en")}`;
    });
  return sane.replace(/\b[a-z]+(?:[A-Z][a-z]*)+\b/g, (name) => {
    const label = labels.get(name);
    return label ? `“${label}”` : name;
  });
}

/**
 * Return the label of a field without its unit and remarks: "Clock (ms)" is "Clock".
 * @param {string} label
 */
export function plainLabel(label) {
  return label.replace(/ \(.*\)$/, "");
}
