/**
 * Where seats are: points on the edge of an oval, evenly spaced along it, clockwise from the middle
 * of its bottom side. The oval is a stadium: two half circles and two straights between them.
 */

/**
 * Return `count` points as {x, y} from -1 to 1 (shares of half the width and half the height);
 * `aspect` is width divided by height.
 */
export function seatsAround(count, aspect) {
  return Array.from({ length: count }, (_, index) => point(index / count, aspect));
}

function point(share, aspect) {
  // A standing stadium is a lying one, turned by a quarter.
  if (aspect < 1) {
    const turned = lying((share + 0.75) % 1, 1 / aspect);
    return { x: -turned.y, y: turned.x };
  }
  return lying(share, aspect);
}

/** Return the point after `share` of the way round a stadium `aspect` wide and 1 high. */
function lying(share, aspect) {
  const straight = aspect - 1;
  const arc = Math.PI / 2;
  const way = share * (2 * straight + 2 * arc);
  const half = straight / 2;
  const on = (x, y) => ({ x: x / (aspect / 2), y: y / 0.5 });
  if (way <= half) return on(-way, 0.5);
  if (way <= half + arc) return turn(-half, (way - half) / arc, 1);
  if (way <= half + arc + straight) return on(-half + (way - half - arc), -0.5);
  if (way <= half + 2 * arc + straight) return turn(half, (way - half - arc - straight) / arc, -1);
  return on(half - (way - half - 2 * arc - straight), 0.5);

  function turn(centre, part, side) {
    const angle = part * Math.PI;
    return on(centre - side * Math.sin(angle) * 0.5, side * Math.cos(angle) * 0.5);
  }
}
