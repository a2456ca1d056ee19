// What a search needs where a project has filters, or where something goes wrong: a chunk of its own.
export { makeFailure } from '../components/failure.ts'
export { createFilters } from '../components/filters.ts'
export { default as styles } from '../components/search-rare.css'
