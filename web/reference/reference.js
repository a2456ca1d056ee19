// Shows this server's description of REST v2, or of v1 with `?v1`.
const version = location.search === '?v1' ? 'v1' : 'v2'
document.title = `Lectern: REST ${version}`
for (const link of document.querySelectorAll('nav a')) {
  if (link.href === location.href) link.setAttribute('aria-current', 'page')
}
window.SwaggerUIBundle({
  url: `../api/${version}/openapi.json`,
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  // Disabled: it would send the description to another host.
  validatorUrl: null,
  plugins: [{ statePlugins: { auth: { wrapSelectors: { isAuthorized: () => needsKey } } } }],
})

/** Closes the padlock of operations that need a key. By default, Swagger UI shows whether a key was given. */
function needsKey(_state, securities) {
  return securities.every((security) => security.size > 0)
}
