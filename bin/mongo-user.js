// Run by MongoDB's image, in mongosh, when its volume is new: the user that Lectern is, who reads and writes one database.
db.getSiblingDB('lectern').createUser({
  user: 'lectern',
  pwd: process.env.MONGODB_PASSWORD,
  roles: [{ role: 'readWrite', db: 'lectern' }],
})
