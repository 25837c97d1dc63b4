/** Lists whose elements stay the same while the list changes, so that the focus stays in them. */
// @ts-check

/**
 * Make elements the children of a parent, in their order. Those that stay are moved only if they
 * have to be; the focus stays, or goes to `rest` if its element is removed.
 * @param {Element} parent
 * @param {Element[]} children
 * @param {HTMLElement} [rest]
 */
export function putInOrder(parent, children, rest) {
  const { activeElement } = document;
  const focused =
    activeElement instanceof HTMLElement && parent.contains(activeElement) ? activeElement : null;
  const staying = new Set(children);
  for (const child of [...parent.children]) if (!staying.has(child)) child.remove();
  children.forEach((child, index) => {
    const there = parent.children[index];
    if (there !== child) parent.insertBefore(child, there ?? null);
  });
  if (!focused || document.activeElement === focused) return;
  if (focused.isConnected) focused.focus({ preventScroll: true });
  else rest?.focus();
}
