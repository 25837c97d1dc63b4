/** Checks the fold of sessions from stdin, a JSON list; prints what was seen of each as JSON. */

import { text } from "node:stream/consumers";
import { checkFold } from "./fold_checks.js";

const sessions = JSON.parse(await text(process.stdin));
process.stdout.write(JSON.stringify(sessions.map(checkFold)));
