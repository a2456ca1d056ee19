// Slugs of projects: `[a-z0-9-]{1,64}`, made from the name where none is given.

/** `Ünser Handbuch 2.0` → `unser-handbuch-2-0`; a name without a letter or digit of ASCII → `project`. */
export function toSlug(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{Mark}/gu, '')
  const slug = plain
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replace(/^-+|-+$/g, '')
  return slug || 'project'
}
