/** A search of all pages of a project. */
export const unfiltered = {
  ...{ urlFilter: null, pageUrl: null },
  ...{ docVersion: null, language: null, sourceTypes: null },
}
