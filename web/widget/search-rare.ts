// A separate chunk for projects with filters, and for failures.
export { makeFailure } from '../components/failure.ts'
export { createFilters } from '../components/filters.ts'
export { default as styles } from '../components/search-rare.css'
