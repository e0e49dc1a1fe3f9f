/**
 * Files and folders that a person dropped or chose, as a flat list ready to be sent.
 *
 * In come entries of a drop, or files with the path they had in a chosen folder; out come batches of files with a name each.
 * The server keeps uploads in one folder, so two files of one name get the names of their folders in front.
 */

/** Files of one request, and bytes: well below what the server takes at once. */
const MOST_FILES = 500;
const MOST_BYTES = 100 << 20;

/** All files below these entries, with their paths; what is hidden stays where it is. */
export async function filesOf(entries, above = '') {
  const found = [];
  for (const entry of entries) {
    if (entry.name.startsWith('.')) continue;
    const path = above + entry.name;
    if (entry.isDirectory) found.push(...(await filesOf(await children(entry), `${path}/`)));
    else found.push({ path, file: await new Promise((done, failed) => entry.file(done, failed)) });
  }
  return found;
}

/** What a folder holds: browsers tell some hundred at a time, and nothing when there is no more. */
async function children(folder) {
  const reader = folder.createReader();
  const all = [];
  for (;;) {
    const some = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (!some.length) return all;
    all.push(...some);
  }
}

/** Files that were chosen, one by one or as a folder. */
export const chosen = (files) =>
  [...files]
    .map((file) => ({ path: file.webkitRelativePath || file.name, file }))
    .filter(({ path }) => !path.split('/').some((part) => part.startsWith('.')));

/** Each file with a name of its own: its last part, or all of its path where another file is called the same. */
export function apart(files) {
  const last = (path) => path.split('/').at(-1);
  const times = new Map();
  for (const { path } of files) times.set(last(path), (times.get(last(path)) ?? 0) + 1);
  return files.map(({ path, file }) => ({
    name: times.get(last(path)) > 1 ? path.replaceAll('/', ' – ') : last(path),
    file,
  }));
}

/** The files in batches that fit into a request each. */
export function batches(files) {
  const all = [];
  let size = Infinity;
  for (const one of files) {
    if (size + one.file.size > MOST_BYTES || all.at(-1).length >= MOST_FILES) {
      all.push([]);
      size = 0;
    }
    all.at(-1).push(one);
    size += one.file.size;
  }
  return all;
}
