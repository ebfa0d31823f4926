import { chownSync, cpSync, lchownSync, mkdtempSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** PostgreSQL refuses to run as root. Then it runs as this user: `nobody` on every common system. */
const nobody = { uid: 65534, gid: 65534 };

/** The `spawn` options for a process that must not be root; none when we are not root ourselves. */
export function unprivilegedUser() {
  return process.getuid?.() === 0 ? nobody : undefined;
}

/** A fresh folder that the user owns and can reach: root's own temp folder may be closed to everyone else. */
export function makeFolderFor(user, name) {
  const parent = user && !isOpenToAll(tmpdir()) ? '/tmp' : tmpdir();
  const folder = mkdtempSync(join(parent, name));
  if (user) chownSync(folder, user.uid, user.gid);
  return folder;
}

/** Copies a tree and gives every part of it to the user. */
export function copyFor(user, from, to) {
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  for (const path of ['.', ...readdirSync(to, { recursive: true })]) {
    lchownSync(join(to, path), user.uid, user.gid);
  }
}

/** Whether every user may pass through this folder and all those above it. */
export function isOpenToAll(folder) {
  for (let path = realpathSync(folder); ; path = dirname(path)) {
    if ((statSync(path).mode & 0o001) === 0) return false;
    if (path === dirname(path)) return true;
  }
}
