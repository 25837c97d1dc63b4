/** Which keys are for the view: not those that somebody types, nor those of a control. */
// @ts-check

/**
 * Return whether a pressed key is for the view as a whole.
 * @param {KeyboardEvent} event
 */
export function isForView({ key, target, altKey, ctrlKey, metaKey }) {
  if (altKey || ctrlKey || metaKey) return false;
  const element = target instanceof Element ? target : null;
  if (element?.closest("input:not([type=range], [type=checkbox]), select, textarea, dialog"))
    return false;
  if (key === " " && element?.closest("button, summary, input")) return false;
  return !(key.startsWith("Arrow") && element?.matches(".scroll"));
}
