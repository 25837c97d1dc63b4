/** Which keys are for a view: not those that somebody types, nor those of a control. */
// @ts-check

/**
 * Return whether a pressed key is for the view as a whole.
 * @param {KeyboardEvent} event
 */
export function isForView({ key, target, altKey, ctrlKey, metaKey }) {
  if (altKey || ctrlKey || metaKey) return false;
  let element = target instanceof Element ? target : null;
  // A dialog that has just closed holds the focus until the next frame: its keys are the view's.
  if (element?.closest("dialog:not([open])")) element = null;
  if (element?.closest("input:not([type=range], [type=checkbox]), select, textarea, dialog"))
    return false;
  if (key === " " && element?.closest("button, summary, input")) return false;
  return !(key.startsWith("Arrow") && element?.matches(".scroll"));
}
