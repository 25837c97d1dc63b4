// A choice among `availableActions`: the payload that the Action Schema describes for an offer.

/** A small generator of numbers, so that a run can be repeated. */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A payload for one of the offers, drawn at random; throws where the schema allows none. */
export function choose(specification, offers, random) {
  const faults = [];
  for (const offer of shuffled(offers, random)) {
    const payload = payloadFor(specification, offer, random, faults);
    if (payload !== undefined) return payload;
  }
  throw new Error(`the Action Schema allows none of the offers: ${faults.join(" | ")}`);
}

/** The default action where it is offered, else an offer without parameters, else any. */
export function chooseDefault(specification, offers) {
  const least = () => 0;
  const faults = [];
  const named = offers.filter((offer) => offer.type === specification.defaultTimeoutAction);
  const bare = offers.filter((offer) => Object.keys(offer).length === 1);
  for (const offer of [...named, ...bare, ...offers]) {
    const payload = payloadFor(specification, offer, least, faults);
    if (payload !== undefined) return payload;
  }
  throw new Error(`the Action Schema allows none of the offers: ${faults.join(" | ")}`);
}

function payloadFor(specification, offer, random, faults) {
  const schema = specification.schemas.action;
  const branches = objects(schema, schema).filter((branch) => discriminator(branch, offer.type));
  branches.sort(
    (one, other) => Number("action" in other.properties) - Number("action" in one.properties),
  );
  if (branches.length === 0) faults.push(`${offer.type}: unknown to the Action Schema`);
  for (const branch of branches) {
    const payload = { [discriminator(branch, offer.type)]: offer.type };
    for (const [name, property] of Object.entries(branch.properties)) {
      if (name in payload) continue;
      const value = parameter(name, property, offer, branch.required.includes(name), random);
      if (value !== undefined) payload[name] = value;
    }
    const wrong = specification.faults("action", payload);
    if (wrong === "") return payload;
    faults.push(`${JSON.stringify(payload)}: ${wrong}`);
  }
  return undefined;
}

/** A parameter as the offer has it, from a list or a range of it, else as the schema asks. */
function parameter(name, schema, offer, isRequired, random) {
  if (name in offer && typeof offer[name] !== "object") return offer[name];
  const list = [name, `${name}s`, `${name}es`].map((key) => offer[key]).find(Array.isArray);
  if (list !== undefined && list.length > 0) return list[Math.floor(random() * list.length)];
  const kinds = [schema.type].flat();
  if (kinds.includes("integer") || kinds.includes("number")) {
    const least = limit("min", name, offer);
    const most = limit("max", name, offer);
    if (least !== undefined || most !== undefined) {
      const low = least ?? schema.minimum ?? 0;
      const high = most ?? schema.maximum ?? low;
      const isLow = random() < 0.7;
      return isLow ? low : low + Math.floor(random() * (high - low + 1));
    }
  }
  if (!isRequired) return undefined;
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[Math.floor(random() * schema.enum.length)];
  if (kinds.includes("integer") || kinds.includes("number")) {
    const numbers = Object.values(offer).filter((value) => typeof value === "number");
    return numbers.length === 1
      ? numbers[0]
      : (schema.minimum ?? (schema.exclusiveMinimum ?? 0) + 1);
  }
  if (kinds.includes("boolean")) return false;
  return undefined;
}

/** `min`, `minAmount`, `min_amount` of an amount; or the only key of that kind, such as `minBet`. */
function limit(kind, name, offer) {
  const exact = [`${kind}_${name}`, `${kind}${name[0].toUpperCase()}${name.slice(1)}`, kind];
  const keys = Object.keys(offer).filter((key) => key.startsWith(kind));
  const key = exact.find((candidate) => candidate in offer) ?? (keys.length === 1 ? keys[0] : "");
  return typeof offer[key] === "number" ? offer[key] : undefined;
}

/** The name of the property that says which action it is. */
function discriminator(branch, type) {
  const names = Object.keys(branch.properties).filter((name) => {
    const schema = branch.properties[name];
    if ("const" in schema) return schema.const === type;
    if (Array.isArray(schema.enum)) return schema.enum.includes(type);
    return name === "action" && schema.type === "string";
  });
  return names.includes("action") ? "action" : names[0];
}

/** The shapes of objects that a schema allows, with `$ref`, `anyOf`, `oneOf` and `allOf` resolved. */
function objects(schema, root) {
  if (typeof schema.$ref === "string") return objects(resolve(schema.$ref, root), root);
  const choices = schema.oneOf ?? schema.anyOf;
  const parts = (schema.allOf ?? []).map((part) => objects(part, root));
  let branches = choices === undefined ? [shape({})] : choices.flatMap((one) => objects(one, root));
  for (const part of [...parts, [shape(schema)]]) {
    branches = branches.flatMap((one) => part.map((other) => merged(one, other)));
  }
  return branches.map((branch) => ({
    required: branch.required,
    properties: Object.fromEntries(
      Object.entries(branch.properties).map(([name, property]) => [
        name,
        typeof property.$ref === "string" ? resolve(property.$ref, root) : property,
      ]),
    ),
  }));
}

function shape(schema) {
  return { properties: schema.properties ?? {}, required: schema.required ?? [] };
}

function merged(one, other) {
  return {
    properties: { ...one.properties, ...other.properties },
    required: [...one.required, ...other.required],
  };
}

function resolve(reference, root) {
  if (!reference.startsWith("#")) throw new Error(`${reference} is not in the document`);
  const path = reference.slice(1).split("/").slice(1);
  return path.reduce(
    (node, step) => node[decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~")],
    root,
  );
}

function shuffled(items, random) {
  const copy = [...items];
  for (let last = copy.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [copy[last], copy[other]] = [copy[other], copy[last]];
  }
  return copy;
}
