/** Conditions of the filter language, written and joined. Pure functions over text. */

const BARE = /^[\p{L}\p{N}_-]+$/u;

/** `field = value` or `field starts with value`, and nothing else. */
const SIMPLE =
  /^("(?:[^"\\]|\\.)*"|[\p{L}\p{N}_-]+) (?:=|starts with) ("(?:[^"\\]|\\.)*"|[\p{L}\p{N}_-]+)$/u;

/** A name or value as the filter language reads it back. */
export const quoted = (text) =>
  BARE.test(text) ? text : `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

/** `field = value`. */
export const equals = (field, value) => `${quoted(field)} = ${quoted(String(value))}`;

/** Everything below a folder. */
export const below = (folder) => `path starts with ${quoted(`${folder}/`)}`;

/** All conditions as one filter: those of the form `field = value` about one field are alternatives, all else narrows. */
export function joined(conditions) {
  const groups = new Map();
  conditions.forEach((text, i) => {
    const field = text.match(SIMPLE)?.[1] ?? `#${i}`;
    groups.set(field, [...(groups.get(field) ?? []), text]);
  });
  const parts = [...groups.values()].map((group) => group.join(' or '));
  if (parts.length === 1) return parts[0];
  return parts.map((part) => (SIMPLE.test(part) ? part : `(${part})`)).join(' and ');
}
