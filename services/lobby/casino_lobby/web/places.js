/** Places around an oval table. */
// @ts-check

/** @typedef {{ x: number, y: number }} Place Shares of half the width and half the height. */

/**
 * Return places from -1 to 1 on the edge of an oval, evenly spaced, clockwise from the middle of
 * its bottom side. The oval is a stadium: two half circles and two straights between them.
 * @param {number} count
 * @param {number} aspect Width divided by height.
 */
export function seatsAround(count, aspect) {
  return Array.from({ length: count }, (_, index) => point(index / count, aspect));
}

/**
 * Return the place after a share of the way round.
 * @param {number} share
 * @param {number} aspect
 * @returns {Place}
 */
function point(share, aspect) {
  // An upright stadium is a lying one, turned by a quarter.
  if (aspect < 1) {
    const turned = lying((share + 0.75) % 1, 1 / aspect);
    return { x: -turned.y, y: turned.x };
  }
  return lying(share, aspect);
}

/**
 * Return the place after a share of the way round a stadium `aspect` wide and 1 high.
 * @param {number} share
 * @param {number} aspect
 * @returns {Place}
 */
function lying(share, aspect) {
  const straight = aspect - 1;
  const arc = Math.PI / 2;
  const way = share * (2 * straight + 2 * arc);
  const half = straight / 2;
  /** @type {(x: number, y: number) => Place} */
  const on = (x, y) => ({ x: x / (aspect / 2), y: y / 0.5 });
  if (way <= half) return on(-way, 0.5);
  if (way <= half + arc) return turn(-half, (way - half) / arc, 1);
  if (way <= half + arc + straight) return on(-half + (way - half - arc), -0.5);
  if (way <= half + 2 * arc + straight) return turn(half, (way - half - arc - straight) / arc, -1);
  return on(half - (way - half - 2 * arc - straight), 0.5);

  /**
   * Return a place on a half circle.
   * @param {number} centre
   * @param {number} part The share of the half circle.
   * @param {1 | -1} side The left or the right half circle.
   */
  function turn(centre, part, side) {
    const angle = part * Math.PI;
    return on(centre - side * Math.sin(angle) * 0.5, side * Math.cos(angle) * 0.5);
  }
}
