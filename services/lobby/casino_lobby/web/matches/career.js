/** A player over all rooms of the casino: results, play, style, hands and costs. */
// @ts-check

/** @import { Child } from "../types.js" */
/** @import { Career, CareerHand, CareerRate } from "./match_types.js" */

import { api, Problem } from "../api.js";
import { avatar } from "../avatar.js";
import { h, hint, linkTo, panel } from "../dom.js";
import { countsLine } from "../faults.js";
import { costLines, defaultItems, isOpen, rateWords, termsOf } from "../results.js";
import { handLink, playerLink, roomLink } from "../router.js";
import { change, chips, rounded, statisticsOf } from "../words.js";
import { resultTable } from "./result_tables.js";

const ID = /^[0-9a-f]{16}$/;
const MOST_NAMED = 500;

/**
 * Return a player of the casino; null if no room knows it.
 * @param {string} key Its id, or a name that one player alone has.
 * @returns {Promise<{ career: Career | null, namesakes: { id: string, hands: number }[] }>}
 */
export async function findCareer(key) {
  try {
    if (ID.test(key)) return { career: await api.player(key), namesakes: [] };
    const { players } = await api.players({ limit: MOST_NAMED });
    const namesakes = players.filter(({ name }) => name === key);
    const [only] = namesakes;
    if (!only || namesakes.length > 1) return { career: null, namesakes };
    return { career: await api.player(only.id), namesakes: [] };
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 404) throw error;
    return { career: null, namesakes: [] }; // unknown, or a lobby of an earlier release
  }
}

/**
 * Return the links to players of one name.
 * @param {string} name
 * @param {{ id: string, hands: number }[]} namesakes
 */
export function namesakesPanel(name, namesakes) {
  return panel(
    `Players named ${name}`,
    resultTable(
      "Players",
      ["Player", "Hands"],
      namesakes.map(({ id, hands }) => [linkTo(playerLink(id), id), chips(hands)]),
    ),
  );
}

/**
 * Return the parts of a player's page.
 * @param {Career} career
 * @returns {Child[]}
 */
export function careerParts(career) {
  const { faults, defaulted = [], games, rooms, bestHands, greatestWins } = career;
  const unit = games[0]?.unit === "chips" ? "chips/100" : "bb/100";
  const lines = statisticsOf(career);
  return [
    introduction(career),
    panel(
      "Results",
      resultTable(
        "Results by game",
        ["Game", "Per 100 hands, 95 %", "Hands", "Rooms", "Rank"],
        games.map((game) => [
          game.gameType,
          rateCell(game),
          chips(game.hands),
          chips(game.rooms),
          game.rank ? `${game.rank}` : "not decided",
        ]),
      ),
      ...costLines(career, unit).map((line) => hint(line)),
      hint(`Failed decisions: ${countsLine(faults, defaulted) ?? "none"}`),
      defaulted.length > 0 ? h("ul", { class: "faults" }, defaultItems(defaulted)) : null,
    ),
    lines.length > 0 ? panel("Play", h("dl", { class: "statistics" }, termsOf(lines))) : null,
    h(
      "div",
      { class: "columns" },
      handsPanel("Best hands", bestHands),
      handsPanel("Greatest wins", greatestWins),
    ),
    panel(
      "Rooms",
      resultTable(
        "Results by room",
        ["Room", "Net", "Per 100 hands, 95 %", "Hands", "State"],
        rooms.map((room) => [
          linkTo(roomLink(room.roomId), room.roomId),
          change(room.net),
          rateCell(room),
          chips(room.hands),
          room.state,
        ]),
      ),
    ),
  ];
}

/** @param {Career} career */
function introduction({ name, playerType, profile, description, style, seatedIn }) {
  const said = [
    style && style.words.length > 0 ? style.words.join(", ") : null,
    playerType === "human" ? "a person" : null,
    profile?.model,
  ];
  return h(
    "div",
    { class: "introduced" },
    avatar(name),
    h(
      "div",
      {},
      h("p", {}, h("bdi", {}, said.filter(Boolean).join(" · "))),
      description ? hint(h("bdi", {}, description)) : null,
      seatedIn.length > 0
        ? h(
            "p",
            {},
            "Plays in ",
            seatedIn.flatMap((room, at) => [at ? ", " : null, linkTo(roomLink(room), room)]),
          )
        : null,
    ),
  );
}

/** @param {CareerRate} line */
function rateCell(line) {
  const unit = line.unit === "bb" ? " bb" : " chips";
  const words = rateWords(line);
  const isLoss = (line.bbPer100 ?? 0) < 0;
  return {
    kind: isOpen(line) ? "undecided" : isLoss ? "worse" : "better",
    content: line.halfInterval95 === null ? words : words + unit,
  };
}

/**
 * @param {string} title
 * @param {CareerHand[]} hands
 */
function handsPanel(title, hands) {
  if (hands.length === 0) return null;
  return panel(
    title,
    h(
      "ul",
      {},
      hands.map(({ roomId, epoch, handNumber, score, net }) =>
        h(
          "li",
          {},
          linkTo(handLink(roomId, handNumber, null, epoch), `${roomId}, hand ${handNumber}`),
          net === undefined ? ` · ${score} points` : ` · ${change(rounded(net))} bb`,
        ),
      ),
    ),
  );
}
