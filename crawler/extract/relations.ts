// The `rel` attribute of links.

/** Of `link` elements, which name style sheets and icons too, only these lead to other pages. */
const pageRelations = new Set(['next', 'prev'])

/** Values of a link's `rel`, in lower case. */
export function relations(link: Record<string, string>): string[] {
  return link.rel === undefined ? [] : link.rel.toLowerCase().split(/\s+/)
}

/** Whether a `link` element leads to another page. */
export function isPageLink(link: Record<string, string>): boolean {
  return relations(link).some((relation) => pageRelations.has(relation))
}
